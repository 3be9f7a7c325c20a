// Folders and files of the host: which belong to the system, and where a path really leads.
import fs from 'node:fs';
import path from 'node:path';
import { realPath } from '../../fleet/trust/folder.ts';
import { isInside } from '../../fleet/trust/paths.ts';

export { readText, realPath } from '../../fleet/trust/folder.ts';

/** Programs and libraries. Those that are links to others of them stay links. */
export const SYSTEM_FOLDERS = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/gnu/store',
];

/** What programs need of /etc; nothing with keys, tokens or passwords. Few, since each takes a quarter of a millisecond. */
export const SYSTEM_FILES = [
  'alternatives',
  'ca-certificates',
  'crypto-policies',
  'fonts',
  'gitconfig',
  'group',
  'hosts',
  'ld.so.cache',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'pki/ca-trust',
  'pki/tls/certs',
  'services',
  'ssl/cert.pem',
  'ssl/certs',
  'ssl/openssl.cnf',
].map((name) => `/etc/${name}`);

/** A program could change what is run outside, or read what it must not, if one of these were its workspace or below it. */
export const TOO_WIDE = [
  '/usr',
  '/etc',
  '/dev',
  '/proc',
  '/sys',
  '/run',
  '/boot',
  '/tmp',
  '/var/tmp',
  '/var/run',
  '/var/lib',
];

/** Who writes here decides what others run. */
export const NEVER_WRITABLE = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  '/etc',
  '/dev',
  '/proc',
  '/sys',
  '/boot',
];

/** Whether too much else is in a folder to show it. */
export function isTooWide(folder: string, home: string): boolean {
  return [home, ...TOO_WIDE].some((each) => isInside(folder, realPath(each)));
}

export function isFolder(file: string): boolean {
  return statOf(file)?.isDirectory() ?? false;
}

export function isExecutable(file: string): boolean {
  const stat = statOf(file);
  return stat?.isFile() === true && (stat.mode & 0o111) !== 0;
}

/** Undefined where nothing is there, or a file is on the way. */
export function statOf(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file);
  } catch {
    return undefined;
  }
}

/**
 * Device, inode and mode (inodes are used again) of a file below a folder, found by steps that follow no link; undefined where a link
 * is on the way, or nothing is there. @param root a folder that no confined program can exchange
 */
export function identityInside(root: string, file: string): string | undefined {
  const steps = path.relative(root, file).split(path.sep);
  let folder: number | undefined;
  try {
    folder = fs.openSync(root, O_PATH | fs.constants.O_DIRECTORY);
    for (const [index, step] of steps.entries()) {
      const isLast = index === steps.length - 1;
      // By the descriptor, so that folders above cannot be exchanged meanwhile.
      const next = fs.openSync(
        `/proc/self/fd/${folder}/${step}`,
        O_PATH | fs.constants.O_NOFOLLOW | (isLast ? 0 : fs.constants.O_DIRECTORY),
      );
      fs.closeSync(folder);
      folder = next;
    }
    const stat = fs.fstatSync(folder);
    return stat.isSymbolicLink() ? undefined : identityBy(stat);
  } catch {
    return undefined;
  } finally {
    if (folder !== undefined) fs.closeSync(folder);
  }
}

/** The same of a file that no confined program can exchange. */
export function identityOf(file: string): string {
  return identityBy(fs.statSync(file));
}

function identityBy({ dev, ino, mode }: fs.Stats): string {
  return `${dev}:${ino}:${mode.toString(16)}`;
}

/**
 * Makes a folder or an empty file, with the folders above it, for this user alone, where they are not there. On Linux no link on the way is
 * followed: a confined program could make one meanwhile.
 */
export function makeByStep(place: string, kind: 'folder' | 'file'): void {
  const { root } = path.parse(place);
  const steps = path.relative(root, place).split(path.sep);
  let above = root;
  let opened: number | undefined;
  try {
    for (const [index, step] of steps.entries()) {
      const next = path.join(above, step);
      if (kind === 'file' && index === steps.length - 1) {
        const { O_CREAT, O_EXCL, O_WRONLY } = fs.constants;
        unlessThere(() => fs.closeSync(fs.openSync(next, O_CREAT | O_EXCL | O_WRONLY, 0o600)));
        return;
      }
      unlessThere(() => fs.mkdirSync(next, 0o700));
      above = next;
      if (process.platform !== 'linux') continue;
      const folder = fs.openSync(next, O_PATH | fs.constants.O_NOFOLLOW | fs.constants.O_DIRECTORY);
      if (opened !== undefined) fs.closeSync(opened);
      opened = folder;
      above = `/proc/self/fd/${folder}`;
    }
  } finally {
    if (opened !== undefined) fs.closeSync(opened);
  }
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
  }
}

const O_PATH = 0o10_000_000;
