// Empty folders in the place of files that a confined program must not create: only what is there can be covered.
// git and most programs overlook an empty folder. Each program that needs one has an empty folder of its own in it, so the last one
// to go is the first that can remove it.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { isAlive, readStat } from '../supervisor/process-table.ts';

/** Whether there is nothing, or nothing but a placeholder. */
export function isAbsent(file: string): boolean {
  return isVacant(file) && !isEmptyFolder(file);
}

/** Whether a placeholder can be made. An empty folder may be one: of another host that is about to make its own folder in it. */
export function isVacant(file: string): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return true;
  return stat.isDirectory() && fs.readdirSync(file).every((name) => ID.test(name));
}

function isEmptyFolder(file: string): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && fs.readdirSync(file).length === 0;
}

/** Names one confined program, and its host, so that others see when that is gone. */
export function placeholderId(): string {
  const startTime = readStat(process.pid)?.startTime ?? '0';
  return ['pluglot', process.pid, startTime, boot(), randomBytes(4).toString('hex')].join('-');
}

const ID = /^pluglot-(?<pid>\d+)-(?<startTime>\d+)-(?<boot>[0-9a-f]*)-[0-9a-f]{8}$/;

/** What has to be removed afterwards, in this order; asked before it is made. An empty folder that is there already stays. */
export function foldersOfPlaceholder(file: string, id: string): readonly string[] {
  return isEmptyFolder(file) ? [path.join(file, id)] : [path.join(file, id), file];
}

/** @returns false where nothing can be made: the confined program cannot make it either */
export function makePlaceholder(file: string, id: string): boolean {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      fs.mkdirSync(file);
    } catch (thrown) {
      if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(thrown))) return false;
      if (codeOf(thrown) !== 'EEXIST') throw thrown;
    }
    try {
      fs.mkdirSync(path.join(file, id));
      removeStale(file);
      return true;
    } catch (thrown) {
      if (codeOf(thrown) === 'EEXIST') return true;
      // The program that used it last has just removed it.
      if (codeOf(thrown) !== 'ENOENT') throw thrown;
    }
  }
  throw new Error(`${file} is made and removed again and again by another program.`);
}

const ATTEMPTS = 1000;

/** What hosts left that were killed together with all that cleans up after them. */
function removeStale(file: string): void {
  for (const name of fs.readdirSync(file)) {
    const { pid = '', startTime = '', boot: then = '' } = ID.exec(name)?.groups ?? {};
    if (pid === '' || (then === boot() && isAlive({ pid: Number(pid), startTime }))) continue;
    try {
      fs.rmdirSync(path.join(file, name));
    } catch {
      // Another program was quicker.
    }
  }
}

function boot(): string {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch {
    return '';
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
