import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { LogRecord } from './log-book.ts';
import { logFile, readLogFile } from './log-file.ts';

const entry = (at: number, message: string): LogRecord => ({ at, source: 'stderr', level: 'info', message });

test('what was written is read back, with all lines of an entry', async () => {
  const folder = temporaryFolder();
  const written = [
    entry(1000, 'one'),
    entry(2000, 'two\nof two lines\n  and three'),
    { at: 3000, source: 'plugin', level: 'warn', message: '' },
    { at: 4000, source: 'host', level: 'error', message: 'failed' },
  ] as const;
  const file = logFile(folder, 'a/b');
  for (const one of written) file.write(one);
  await file.close();
  expect(await readLogFile(folder, 'a/b')).toEqual(written);
  expect(await readLogFile(folder, 'a/b', { entries: 2 })).toEqual(written.slice(-2));
});

test('the file before this one is read too, and a line that was cut off is left out', async () => {
  const folder = temporaryFolder();
  const file = logFile(folder, 'p', { bytes: 60 });
  for (let at = 1; at <= 4; at += 1) file.write(entry(at, 'x'.repeat(30)));
  await file.close();
  const all = await readLogFile(folder, 'p');
  expect(all?.map(({ at }) => at)).toEqual([3, 4]);
  expect((await readLogFile(folder, 'p', { bytes: 100 }))?.map(({ at }) => at)).toEqual([4]);
});

test('no file is no log; nonsense in it is left out', async () => {
  const folder = temporaryFolder();
  expect(await readLogFile(folder, 'p')).toBeUndefined();
  fs.writeFileSync(path.join(folder, 'p.log'), '\0\0 nonsense\n  more\n');
  expect(await readLogFile(folder, 'p')).toEqual([]);
});
