// Real locations of paths, and whether others can change what is there.
import fs from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { findInPath } from '../../base/search-path.ts';
import { shellWord } from '../../base/text.ts';

/** By component: `/a/b` contains `/a/b` and `/a/b/c`, not `/a/bc`. Both absolute and canonical. */
export function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

/** The path without symbolic links; undefined if it does not exist. */
export async function canonical(file: string): Promise<string | undefined> {
  try {
    return await realpath(file);
  } catch {
    return undefined;
  }
}

/** Every link on the way of an absolute path, and last its target, even if that does not exist. */
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

/** Whether a path, or a link on its way, is in one of the folders: who can write there controls what the path leads to. */
export function leadsInto(folders: readonly string[], file: string): boolean {
  const real = folders.map((folder) => placesOnTheWay(folder).at(-1) ?? folder);
  return placesOnTheWay(file).some((place) => real.some((folder) => isInside(folder, place)));
}

/** The absolute parts of a search path that do not lead into the folders. Never empty, which would mean the current folder. */
export function pathOutside(searchPath: string, folders: readonly string[]): string {
  const parts = searchPath
    .split(path.delimiter)
    .filter((part) => path.isAbsolute(part) && !leadsInto(folders, part));
  return parts.length === 0 ? '/usr/bin:/bin' : parts.join(path.delimiter);
}

/** A program of a search path that cannot be replaced through the folders. */
export function findOutside(
  name: string,
  searchPath: string,
  folders: readonly string[],
): string | undefined {
  const search = { path: pathOutside(searchPath, folders), cwd: '/' };
  return findInPath(name, search, (file) => !leadsInto(folders, file));
}

/** As in Linux. */
const LINKS_MAX = 40;

function linkTarget(file: string): string | undefined {
  try {
    return fs.readlinkSync(file);
  } catch {
    return undefined;
  }
}

// Whether only this user, and the system, can change a file: by its own permissions, and by those of the folders that lead to it.

export interface OpenPlace {
  /** The file, a link that leads to it, or a folder above one of them. */
  readonly place: string;
  /** Continues a sentence after the name of the place: "can be changed by other users". */
  readonly reason: string;
  /** The command that fixes it. */
  readonly fix: string;
}

/**
 * `configuration` is written by the user: any owner is accepted, and the group may be the user's own (as with a umask of 002).
 * `state` is written by this program alone: no write access of the group, no other owner, no shared folder such as /tmp.
 */
export type FileKind = 'configuration' | 'state';

/** The first place through which others can change or replace the file, if there is one. */
export function otherWriters(file: string, kind: FileKind): OpenPlace | undefined {
  if (process.platform === 'win32') return undefined;
  const places = placesOnTheWay(path.resolve(file));
  const target = places.at(-1) ?? file;
  const holds = fs.statSync(target, { throwIfNoEntry: false })?.isDirectory() ? 'a folder' : 'the file';
  const seen = new Set<string>();
  for (const place of places.toReversed()) {
    const own = place === target ? openTarget(place, kind) : openOwner(place, kind);
    if (own !== undefined) return own;
    for (let folder = path.dirname(place); !seen.has(folder); folder = path.dirname(folder)) {
      seen.add(folder);
      const open = openFolder(folder, kind, folder === path.dirname(target) ? holds : 'more');
      if (open !== undefined) return open;
    }
  }
  return undefined;
}

/** The same for the place alone, without the folders above it; a link is not followed. */
export function openTarget(place: string, kind: FileKind): OpenPlace | undefined {
  const stats = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const owner = openOwner(place, kind);
  if (owner !== undefined || stats.isSymbolicLink()) return owner;
  const others = kind === 'state' ? 0o022 : 0o002;
  return (stats.mode & others) === 0 ? undefined : changeable(place, stats.isDirectory());
}

/** Others can replace files in it, unless it is sticky: then only their own, but they can add files. */
function openFolder(
  folder: string,
  kind: FileKind,
  holds: 'the file' | 'a folder' | 'more',
): OpenPlace | undefined {
  const mode = fs.statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  const isStrict = kind === 'state' && holds !== 'more';
  const others = isStrict && holds === 'the file' ? 0o022 : 0o002;
  const isSafe = (mode & others) === 0 || (!isStrict && (mode & 0o1000) !== 0);
  return isSafe ? openOwner(folder, kind) : changeable(folder, true);
}

function changeable(place: string, isFolder: boolean): OpenPlace {
  const fix = `chmod ${isFolder ? 'go-w' : '600'} ${shellWord(place)}`;
  return { place, reason: 'can be changed by other users', fix };
}

function openOwner(place: string, kind: FileKind): OpenPlace | undefined {
  const me = process.getuid?.();
  const stats = kind === 'state' ? fs.lstatSync(place, { throwIfNoEntry: false }) : undefined;
  if (stats === undefined || me === undefined) return undefined;
  // In a user namespace the root user of the system has another id: that of the owner of `/`.
  if ([me, 0, fs.statSync('/').uid].includes(stats.uid)) return undefined;
  const fix = `sudo chown ${me} ${shellWord(place)}`;
  return { place, reason: 'belongs to another user', fix };
}
