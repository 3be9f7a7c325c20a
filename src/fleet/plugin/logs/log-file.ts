// The log of a plugin as a file of lines, with a limit: when it is full it becomes NAME.log.1, and the one before that is gone.
import path from 'node:path';
import { appendFile, mkdir, rename, stat, open } from 'node:fs/promises';
import { jsonText } from '../../../base/text.ts';
import type { LogRecord } from './log-book.ts';

export interface LogFile {
  write(entry: LogRecord): void;
  close(): Promise<void>;
}

export interface LogFileLimits {
  /** @default 5 MiB */
  readonly bytes?: number;
}

/** What may wait for the disk; more is left out. */
const WAITING_MAX = 1024 * 1024;

export function logFile(
  folder: string,
  plugin: string,
  { bytes: bytesMax = 5 * 1024 * 1024 }: LogFileLimits = {},
): LogFile {
  const file = logFilePath(folder, plugin);
  let waiting: string[] = [];
  let waitingSize = 0;
  let leftOut = 0;
  let writing: Promise<void> | undefined;

  const writeAll = async () => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      let size = await sizeOf(file);
      while (waiting.length > 0) {
        if (size >= bytesMax) {
          await rename(file, `${file}.1`);
          size = 0;
        }
        const text = take(bytesMax - size);
        // Plugins print secrets: only their owner may read them.
        await appendFile(file, text, { mode: 0o600 });
        size += Buffer.byteLength(text);
      }
    } catch {
      // No log is a smaller evil than no plugin.
      waiting = [];
      waitingSize = 0;
    }
    writing = undefined;
  };

  /** Whole lines of about so many bytes. */
  const take = (room: number): string => {
    let count = 0;
    for (let size = 0; count < waiting.length && size < room; count++) size += waiting[count]?.length ?? 0;
    const text = waiting.splice(0, count).join('');
    waitingSize -= text.length;
    return text;
  };

  return {
    write(entry) {
      if (waitingSize > WAITING_MAX) {
        leftOut += 1;
        return;
      }
      const note = leftOut === 0 ? '' : `${leftOut} entries were left out, as the disk is too slow\n`;
      leftOut = 0;
      const text = `${note}${lineOf(entry)}\n`;
      waiting.push(text);
      waitingSize += text.length;
      // What comes in the same moment is written at once.
      writing ??= Promise.resolve().then(writeAll);
    },
    async close() {
      await writing;
    },
  };
}

function logFilePath(folder: string, plugin: string): string {
  return path.join(folder, `${fileName(plugin)}.log`);
}

/** A name can hold anything; a file name cannot. */
function fileName(plugin: string): string {
  return plugin
    .replaceAll(/[^\w.@-]/g, (character) => `%${character.codePointAt(0)?.toString(16) ?? ''}`)
    .replace(/^\./, '%2e');
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}

function lineOf({ at, source, level, message, data }: LogRecord): string {
  const text = message.replaceAll('\n', '\n  ');
  const rest = data === undefined ? '' : ` ${jsonText(data)}`;
  return `${new Date(at).toISOString()} ${level.padEnd(5)} ${source.padEnd(6)} ${text}${rest}`;
}

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
