// The log of a plugin, read back from its file: for those who come when nobody runs it.
import { open } from 'node:fs/promises';
import type { LogRecord } from './log-book.ts';
import { logFilePath } from './log-file.ts';

/** The last entries, the oldest first; undefined when there is no file. */
export async function readLogFile(
  folder: string,
  plugin: string,
  { entries = 1000, bytes = 1024 * 1024 } = {},
): Promise<readonly LogRecord[] | undefined> {
  const file = logFilePath(folder, plugin);
  const last = await readTail(file, bytes);
  if (last === undefined) return undefined;
  const before = last.length < bytes ? ((await readTail(`${file}.1`, bytes - last.length)) ?? '') : '';
  return parseLog(before + last).slice(-entries);
}

async function readTail(file: string, bytes: number): Promise<string | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, bytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

const LINE =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (debug|info|warn|error) +(plugin|stderr|stdout|host) +(.*)$/;

/** What follows the first line of an entry is indented; a first line that was cut off is left out. */
function parseLog(text: string): LogRecord[] {
  const records: { -readonly [Key in keyof LogRecord]: LogRecord[Key] }[] = [];
  for (const line of text.split('\n')) {
    const [, time = '', level, source, message = ''] = LINE.exec(line) ?? [];
    const last = records.at(-1);
    if (level !== undefined)
      records.push({
        at: Date.parse(time),
        // The expression lets nothing else pass.
        level: level as LogRecord['level'],
        source: source as LogRecord['source'],
        message,
      });
    else if (last !== undefined && line.startsWith('  ')) last.message += `\n${line.slice(2)}`;
  }
  return records;
}
