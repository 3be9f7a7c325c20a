// Where a path leads, after all symbolic links as they are now.
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';

/** Step by step, as the system goes: `link/..` is above the folder that the link leads to. */
export async function target(cwd: string, given: string): Promise<string | undefined> {
  const parts = given.split(separators);
  if (!parts.includes('..')) return leadsTo(path.resolve(cwd, given));
  let place: string | undefined = path.isAbsolute(given) ? path.parse(given).root : await leadsTo(cwd);
  for (const part of parts) {
    if (place === undefined) return undefined;
    if (part === '' || part === '.') continue;
    place = part === '..' ? path.dirname(place) : await leadsTo(path.join(place, part));
  }
  return place;
}

const separators = path.sep === '/' ? /\// : /[\\/]/;

/** Of something that is not there yet: where its folder leads. A link that leads nowhere leads anywhere. */
async function leadsTo(file: string): Promise<string | undefined> {
  const rest: string[] = [];
  for (let place = file; ; place = path.dirname(place)) {
    try {
      return path.join(await realpath(place), ...rest);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') return undefined;
      if (await isLink(place)) return undefined;
      if (path.dirname(place) === place) return undefined;
      rest.unshift(path.basename(place));
    }
  }
}

async function isLink(place: string): Promise<boolean> {
  try {
    return (await lstat(place)).isSymbolicLink();
  } catch {
    return false;
  }
}
