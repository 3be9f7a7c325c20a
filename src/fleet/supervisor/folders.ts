// The folders of a plugin: one for its data that stays, one for its temporary files that goes with its process.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

export interface Folders {
  /** Makes the folders of one process. */
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

/** The same for a plugin wherever it runs. */
export function dataFolderOf(state: string, plugin: string): string {
  return path.join(state, 'data', fileNameFor(plugin));
}

/** Short, since a socket in it has a name of at most 107 bytes. */
export function temporaryFolderOf(fleet: string, system: string): string {
  return path.join(system, `pluglot-${fleet}`);
}

/** Removes what it can. A plugin may have made folders that cannot be emptied; those stay. */
export async function removeFolder(folder: string): Promise<void> {
  await fs.promises.rm(folder, { recursive: true, force: true, maxRetries: 2 }).catch(() => {});
}

/** A name of one file, different for different names; most stay as they are. */
function fileNameFor(name: string): string {
  const plain = name
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\./, '_')
    .slice(0, 100);
  if (plain === name) return name;
  return `${plain}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}
