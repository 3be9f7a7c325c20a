// Where configuration lies: the user's folders (PLUGLOT_HOME or the XDG folders) and the files of a project.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { isAbsent } from '../trust/placeholders.ts';

export interface HomeFolders {
  /** The user's `pluglot.json`. */
  readonly config: string;
  /** Trust decisions, running processes and other state. */
  readonly state: string;
  /** Data of plugins. */
  readonly data: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws PluglotError CONFIG_INVALID for a relative PLUGLOT_HOME: its meaning would depend on the current folder */
export function homeFolders(env: Environment, home: string): HomeFolders {
  const own = env['PLUGLOT_HOME'];
  if (own !== undefined && own !== '') {
    if (!path.isAbsolute(own)) {
      throw new PluglotError(
        'CONFIG_INVALID',
        `PLUGLOT_HOME is "${own}"; expected an absolute path, such as "${path.join(home, own)}".`,
      );
    }
    return { config: own, state: path.join(own, 'state'), data: path.join(own, 'data') };
  }
  // The XDG specification says to ignore relative paths.
  const folder = (name: string, fallback: string) => {
    const value = env[name];
    return path.join(value && path.isAbsolute(value) ? value : path.join(home, fallback), 'pluglot');
  };
  return {
    config: folder('XDG_CONFIG_HOME', '.config'),
    state: folder('XDG_STATE_HOME', '.local/state'),
    data: folder('XDG_DATA_HOME', '.local/share'),
  };
}

// A project's files: the nearest of each name, from the current folder up to the root of the repository.

/** Files of a project that hold rules and configuration, by their usual names. */
export const CONFIGURATION_FILES = ['pluglot.json', '.mcp.json', 'permissions.json', '.permissions.json'];

export interface ProjectFiles {
  /** The highest folder of the project: the one with `.git`, otherwise the current one. */
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

/** A file that cannot be accessed exists too; reading it reports the error. */
async function exists(place: string): Promise<boolean> {
  try {
    return !(await stat(place)).isDirectory() || !isAbsent(place);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
