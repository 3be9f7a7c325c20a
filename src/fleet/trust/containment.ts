// Which folder a path really lies in.
import fs from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { findInPath } from '../../base/search-path.ts';

/** By component: `/a/b` holds `/a/b` and `/a/b/c`, not `/a/bc`. Both absolute and canonical. */
export function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

/** Where a path leads after all symbolic links; undefined when it leads nowhere. */
export async function canonical(file: string): Promise<string | undefined> {
  try {
    return await realpath(file);
  } catch {
    return undefined;
  }
}

/** Every link on the way of an absolute path, and last where it leads; of what is not there, where it would be. */
export function placesOnTheWay(file: string): readonly string[] {
  const links: string[] = [];
  const { root } = path.parse(file);
  let place = root;
  let rest = file.slice(root.length).split(path.sep);
  while (rest.length > 0) {
    const [name = '', ...after] = rest;
    const next = path.join(place, name);
    const target = links.length < LINKS_MAX ? linkTarget(next) : undefined;
    if (target === undefined) {
      place = next;
      rest = after;
    } else {
      links.push(next);
      if (path.isAbsolute(target)) place = path.parse(target).root;
      rest = [...target.split(path.sep), ...after];
    }
  }
  return [...links, place];
}

/** Whether a path, or a link on its way, lies in one of the folders: who can write to these decides what is found there. */
export function leadsInto(folders: readonly string[], file: string): boolean {
  const real = folders.map((folder) => placesOnTheWay(folder).at(-1) ?? folder);
  return placesOnTheWay(file).some((place) => real.some((folder) => isInside(folder, place)));
}

/** Those parts of a search path that do not lead into the folders; relative ones are left out. */
export function pathOutside(searchPath: string, folders: readonly string[]): string {
  return searchPath
    .split(path.delimiter)
    .filter((part) => path.isAbsolute(part) && !leadsInto(folders, part))
    .join(path.delimiter);
}

/** A program of a search path that nobody who can write to the folders decides on. */
export function findOutside(
  name: string,
  searchPath: string,
  folders: readonly string[],
): string | undefined {
  const search = { path: pathOutside(searchPath, folders), cwd: '/' };
  return findInPath(name, search, (file) => !leadsInto(folders, file));
}

/** Linux follows as many. */
const LINKS_MAX = 40;

function linkTarget(file: string): string | undefined {
  try {
    return fs.readlinkSync(file);
  } catch {
    return undefined;
  }
}
