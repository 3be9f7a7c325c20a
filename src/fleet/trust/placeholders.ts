// Empty folders in place of files that a confined program must not create: only existing paths can be covered.
// git and most programs ignore an empty folder. Each program that needs one has its own empty folder in it, a mark, so that only the last
// one can remove it.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { bootId, isAlive, readStat } from '../supervisor/process-table.ts';
import { Folder, realPath } from './folder.ts';

/** Whether nothing is there, or only a placeholder. */
export function isAbsent(file: string): boolean {
  return ['absent', 'marked'].includes(stateOf(file));
}

/** Whether a placeholder can be created. An empty folder may be one of another host that is about to create its mark in it. */
export function isVacant(file: string): boolean {
  return stateOf(file) !== 'taken';
}

/** The same of a name in a folder. */
export function isVacantIn(above: Folder, name: string): boolean {
  return stateIn(above, name) !== 'taken';
}

/** `marked`: a folder with nothing but marks of confined programs in it. */
type PlaceState = 'absent' | 'empty' | 'marked' | 'taken';

function stateOf(file: string): PlaceState {
  return (
    Folder.within(realPath(path.dirname(file)), (above) => stateIn(above, path.basename(file))) ?? 'absent'
  );
}

function stateIn(above: Folder, name: string): PlaceState {
  const stat = above.stat(name);
  if (stat === undefined) return 'absent';
  if (!stat.isDirectory()) return 'taken';
  return above.inside(name, statesOfEntries) ?? 'taken';
}

function statesOfEntries(folder: Folder): PlaceState {
  let state: PlaceState = 'empty';
  for (const { name } of folder.entries()) {
    if (!ID.test(String(name))) return 'taken';
    state = 'marked';
  }
  return state;
}

/** Identifies one confined program and its host, so that others notice when that is gone. */
export function placeholderId(): string {
  const startTime = readStat(process.pid)?.startTime ?? '0';
  return ['pluglot', process.pid, startTime, boot(), randomBytes(4).toString('hex')].join('-');
}

const ID = /^pluglot-(?<pid>\d+)-(?<startTime>\d+)-(?<boot>[0-9a-f]*)-[0-9a-f]{8}(?:-kept)?$/;

/**
 * Creates a placeholder in place of a file. An empty folder that existed before stays when its marks are gone.
 * @param above the folder of the file, at `file`'s path without its last step
 * @param record called with the folders to remove afterwards, in this order, before they are created
 * @returns false if nothing can be created there: the confined program cannot create it either
 */
export function makePlaceholder(
  above: Folder,
  file: string,
  id: string,
  record: (folders: readonly string[]) => void,
): boolean {
  const name = path.basename(file);
  const marks = above.inside(name, (folder) => folder.names()) ?? [];
  if (marks.some((each) => each.startsWith(id))) return true;
  const isKept = stateIn(above, name) === 'empty' || marks.some((each) => each.endsWith(KEPT));
  const mark = isKept ? id + KEPT : id;
  record(isKept ? [path.join(file, mark)] : [path.join(file, mark), file]);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      above.make(name);
    } catch (thrown) {
      if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(thrown))) return false;
      if (codeOf(thrown) !== 'EEXIST') throw thrown;
    }
    try {
      const folder = above.open(name);
      try {
        folder.make(mark);
        removeStale(folder);
      } finally {
        folder.close();
      }
      return true;
    } catch (thrown) {
      if (codeOf(thrown) === 'EEXIST') return true;
      // The program that used it last has just removed it.
      if (codeOf(thrown) !== 'ENOENT') throw thrown;
    }
  }
  throw new Error(`${file} is made and removed again and again by another program.`);
}

/** The suffix of a mark in a folder that existed before. */
const KEPT = '-kept';

const ATTEMPTS = 1000;

/** Removes placeholders of hosts that were killed together with their wardens. */
function removeStale(folder: Folder): void {
  for (const name of folder.names()) {
    const { pid = '', startTime = '', boot: then = '' } = ID.exec(name)?.groups ?? {};
    if (pid === '' || (then === boot() && isAlive({ pid: Number(pid), startTime }))) continue;
    try {
      folder.removeEmpty(name);
    } catch {
      // Another program removed it first.
    }
  }
}

function boot(): string {
  return bootId().slice(0, 8);
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
