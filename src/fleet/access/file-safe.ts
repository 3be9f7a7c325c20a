// A safe of files: one for each key, for the user's eyes alone, and never half written.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { MiB } from '../../base/limits.ts';
import { shellWord } from '../../base/shell-word.ts';
import { sentence } from '../../base/sentence.ts';
import type { Safe } from '../../dialect/access.ts';
import { changeFile } from '../trust/guarded-file.ts';
import { readTextFile } from '../trust/regular-file.ts';

/** Keys are letters, digits, dots and dashes. */
export function fileSafe(folder: string): Safe {
  const fileOf = (key: string) => {
    if (!/^[\w-][\w.-]{0,150}$/.test(key)) throw new Error(`No key of a safe: ${JSON.stringify(key)}`);
    return path.join(folder, `${key}.json`);
  };
  return {
    read: (key) => textOf(fileOf(key)),
    async change(key, work) {
      const file = fileOf(key);
      await changeFile(file, { mode: 0o600, enforceMode: true }, async () => work(await textOf(file)));
    },
    remove: (key) => rm(fileOf(key), { force: true }),
  };
}

async function textOf(file: string): Promise<string | undefined> {
  const read = await readTextFile(file, MiB);
  if (read.kind === 'absent') return undefined;
  if (read.kind === 'unreadable')
    throw new PluglotError(
      'CONFIG_INVALID',
      `${file} ${sentence(read.reason)} Remove it: rm -r ${shellWord(file)}`,
    );
  // Who can write it could have us send tokens elsewhere, and who can read it has them already.
  if (process.platform !== 'win32' && (read.mode & 0o077) !== 0)
    throw new PluglotError(
      'CONFIG_INVALID',
      `${file} holds secrets, and others may open it. Remove it and authorise again: rm ${shellWord(file)}`,
    );
  return read.text;
}
