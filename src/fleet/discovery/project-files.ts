// Which files are the project's: the nearest of each name, from the current folder up to the root of the repository.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isAbsent } from '../trust/placeholders.ts';

/** Files of a project that hold rules and configuration, by their usual names. */
export const CONFIGURATION_FILES = ['pluglot.json', '.mcp.json', 'permissions.json', '.permissions.json'];

export interface ProjectFiles {
  /** As far up as a project's file may lie: the folder with `.git`, else the current one. */
  readonly top: string;
  /** From the current one up to `top`. */
  readonly folders: readonly string[];
  nearest(name: string): Promise<string | undefined>;
}

export async function projectFiles(cwd: string): Promise<ProjectFiles> {
  const folders = foldersUpFrom(path.resolve(cwd));
  const repository = await first(folders, (folder) => exists(path.join(folder, '.git')));
  const top = repository ?? path.resolve(cwd);
  const own = folders.slice(0, folders.indexOf(top) + 1);
  return {
    top,
    folders: own,
    async nearest(name) {
      const folder = await first(own, (one) => exists(path.join(one, name)));
      return folder === undefined ? undefined : path.join(folder, name);
    },
  };
}

function foldersUpFrom(folder: string): string[] {
  const folders = [folder];
  for (let parent = path.dirname(folder); parent !== folders.at(-1); parent = path.dirname(parent))
    folders.push(parent);
  return folders;
}

async function first(
  items: readonly string[],
  holds: (item: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const item of items) if (await holds(item)) return item;
  return undefined;
}

/** Something that cannot be looked at is there too: it is told later. */
async function exists(place: string): Promise<boolean> {
  try {
    return !(await stat(place)).isDirectory() || !isAbsent(place);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
