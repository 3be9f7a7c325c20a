// The folders of a plugin: one for its data, kept, and one for temporary files, removed with its process.
// Also folders that were created elsewhere for a confined program, removed with it.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Folder, givingWay, realPath } from '../trust/folder.ts';

export interface Folders {
  /** Creates the folders of one process. */
  forProcess(plugin: string, launch: string): ProcessFolders;
}

export interface ProcessFolders {
  /** Shared by all processes of the plugin. */
  readonly data: string;
  readonly temporary: string;
}

/** @param temporary the folder for all temporary files of this fleet */
export function createFolders(state: string, temporary: string): Folders {
  return {
    forProcess(plugin, launch) {
      const folders = {
        data: dataFolderOf(state, plugin),
        temporary: path.join(temporary, launch),
      };
      for (const folder of Object.values(folders)) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folders;
    },
  };
}

/** The same for every process of a plugin. */
export function dataFolderOf(state: string, plugin: string): string {
  return path.join(state, 'data', fileNameFor(plugin));
}

/** Short, since a socket in it has a name of at most 107 bytes. */
export function temporaryFolderOf(fleet: string, system: string): string {
  return path.join(system, `pluglot-${fleet}`);
}

/** Removes what it can. A plugin may have created folders that cannot be emptied; those stay. */
export async function removeFolder(folder: string): Promise<void> {
  if (process.platform !== 'linux')
    return fs.promises.rm(folder, { recursive: true, force: true, maxRetries: 2 }).catch(() => {});
  // Another confined program may still have a descriptor of it, and exchange a folder in it for a link.
  const above = attempt(() => Folder.open(realPath(path.dirname(folder))));
  if (above === undefined) return;
  try {
    const name = path.basename(folder);
    for (let look = 0; look < REMOVAL_LOOKS && above.stat(name) !== undefined; look += 1) {
      // A process that is about to end may still write there.
      if (look > 0) await new Promise((resolve) => setTimeout(resolve, BETWEEN_REMOVALS_MS));
      await givingWay(above.removeTree(name));
    }
  } finally {
    above.close();
  }
}

const REMOVAL_LOOKS = 3;
const BETWEEN_REMOVALS_MS = 100;

/** Empty folders created for one program, listed beside its own folder so that others can remove them if the host is killed. */
export interface Leftovers {
  record(folders: readonly string[]): void;
  remove(): Promise<void>;
}

const LIST_ENDING = '.leftovers';

export function leftoversOf(folder: string): Leftovers {
  const list = folder + LIST_ENDING;
  return {
    record: (folders) => fs.appendFileSync(list, folders.map((each) => `${each}\n`).join('')),
    remove: () => removeListed(list),
  };
}

/** Removes folders of the programs of a fleet that is gone. @param temporary its folder for temporary files */
export async function removeLeftovers(temporary: string): Promise<void> {
  const files = await fs.promises.readdir(temporary).catch(() => []);
  const lists = files.filter((file) => file.endsWith(LIST_ENDING));
  await Promise.all(lists.map((list) => removeListed(path.join(temporary, list))));
}

async function removeListed(list: string): Promise<void> {
  const text = await fs.promises.readFile(list, 'utf8').catch(() => '');
  for (const folder of text.split('\n')) if (folder !== '') await removeEmpty(folder);
  await fs.promises.rm(list, { force: true });
}

/** Ended processes keep their control group for a moment. */
const BUSY_LOOKS = 50;
const BETWEEN_LOOKS_MS = 10;

async function removeEmpty(folder: string): Promise<void> {
  for (let look = 0; look < BUSY_LOOKS; look += 1) {
    try {
      // Control groups are reached by links, which no confined program can change.
      if (folder.startsWith('/sys/')) return await fs.promises.rmdir(folder);
      return Folder.within(path.dirname(folder), (above) => above.removeEmpty(path.basename(folder)));
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EBUSY')) return;
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS));
    }
  }
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** A distinct file name for each name; most names are kept. */
function fileNameFor(name: string): string {
  const plain = name
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\./, '_')
    .slice(0, 100);
  if (plain === name) return name;
  return `${plain}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}
