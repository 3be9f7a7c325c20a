// What a confined program sees: the system, its own installation, the folders it is given; and what is hidden even in those.
import fs from 'node:fs';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { sentence } from '../../base/sentence.ts';
import { findInPath } from '../../base/search-path.ts';
import { readShebang } from '../../fleet/supervisor/shebang.ts';
import type { Program } from '../../fleet/supervisor/spawn.ts';
import { isInside, placesOnTheWay } from '../../fleet/trust/containment.ts';
import { isAbsent } from '../../fleet/trust/placeholders.ts';
import type { Access, Confinement, SandboxHost } from './sandbox.ts';

/** One thing in the order of depth: what is deeper is laid over what is above it. */
export interface Shown {
  /** Where it is inside; without links. */
  readonly path: string;
  readonly as: Access | 'hidden-folder' | 'hidden-file' | 'empty-folder';
  /** What is shown there. @default what is there outside */
  readonly from?: string;
  /** Files in it that configure git and pluglot stay as they are. */
  readonly isProtected?: boolean;
}

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
const TOO_WIDE = [
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

/** Below the home folder: keys, tokens and passwords of common programs. */
const SECRETS_OF_HOME = [
  '.aws',
  '.azure',
  '.bash_history',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.config/gcloud',
  '.config/gh',
  '.config/pluglot',
  '.docker',
  '.git-credentials',
  '.gnupg',
  '.kube',
  '.local/share/keyrings',
  '.local/state/pluglot',
  '.netrc',
  '.npmrc',
  '.password-store',
  '.pgpass',
  '.pypirc',
  '.ssh',
  '.zsh_history',
];

/**
 * The folders that the program is given, what of its installation lies outside of the system's folders, and what stays hidden in them.
 * @throws PluglotError CONFIG_INVALID
 */
export function shownTo(program: Program, confinement: Confinement, host: SandboxHost): readonly Shown[] {
  const home = realPath(host.home);
  if (!isFolder(confinement.workspace)) refuse(confinement.workspace, 'it is not a folder');
  const folders = [
    { path: confinement.workspace, access: confinement.access, isOwn: false },
    ...(confinement.folders ?? []),
  ].map(({ path: folder, access, isOwn = false }) => ({
    path: checkedFolder(folder, home),
    as: access,
    isProtected: !isOwn && isFolder(folder),
  }));
  const installed = installationOf(program, home)
    .filter((folder) => !folders.some((each) => isInside(each.path, folder)))
    .map((folder) => ({ path: folder, as: 'read-only' as const }));
  const isWritable = (file: string) =>
    folders.some((each) => each.as === 'writable' && isInside(each.path, file));
  const linked = folders.flatMap(({ path: each, isProtected }) =>
    isProtected ? linkedRepository(each, isWritable, home) : [],
  );
  const shown: Shown[] = [{ path: home, as: 'empty-folder' }, ...installed, ...linked, ...folders];
  const hidden = hiddenIn(shown, host, home);
  for (const { path: secret } of hidden) {
    if (folders.some((folder) => folder.path === secret))
      refuse(secret, 'it holds secrets, or what pluglot keeps');
  }
  return [...shown, ...hidden].sort((a, b) => a.path.length - b.path.length);
}

/** Whether too much else is in a folder to show it. */
export function isTooWide(folder: string, home: string): boolean {
  return [home, ...TOO_WIDE].some((each) => isInside(folder, realPath(each)));
}

function checkedFolder(folder: string, home: string): string {
  const real = realPath(folder);
  if (!path.isAbsolute(folder) || !fs.existsSync(real)) refuse(folder, 'it is not there');
  if (isInside(real, home)) refuse(folder, 'it holds the home folder');
  const inside = TOO_WIDE.map(realPath).find((each) => isInside(real, each));
  if (inside !== undefined) refuse(folder, `it holds ${inside}`);
  return real;
}

function refuse(folder: string, why: string): never {
  throw new PluglotError(
    'CONFIG_INVALID',
    `The folder ${folder} cannot be shown to a confined program: ${sentence(why)} Choose a folder of one project.`,
  );
}

function hiddenIn(shown: readonly Shown[], host: SandboxHost, home: string): Shown[] {
  const { hidden, hiddenFiles } = host.own();
  const isShown = (place: string) =>
    shown.some(({ path: each, as }) => as !== 'empty-folder' && isInside(each, place));
  const ends = (places: readonly string[]) =>
    places.map((place) => placesOnTheWay(place).at(-1) ?? place).filter(isShown);
  const folders = ends(hidden);
  // What lies in another one is hidden with it.
  const isInner = (place: string) => folders.some((each) => each !== place && isInside(each, place));
  const own = [
    ...folders.filter((place) => isThere(place) || (!isInner(place) && isMade(place, 'hidden-folder'))),
    ...ends(hiddenFiles).filter(
      (place) => isThere(place) || (!isInner(place) && isMade(place, 'hidden-file')),
    ),
  ];
  const secrets = SECRETS_OF_HOME.map((name) => realPath(path.join(home, name))).filter(
    (place) => isShown(place) && fs.existsSync(place),
  );
  return [...new Set([...own, ...secrets])].map((place) => ({
    path: place,
    as: isFolder(place) ? 'hidden-folder' : 'hidden-file',
  }));
}

function isThere(place: string): boolean {
  return fs.existsSync(place) && !isAbsent(place);
}

/**
 * Only what is there can be hidden, and what pluglot keeps may be made while the program runs.
 * @returns false where it cannot be made: the confined program cannot make it either
 */
function isMade(place: string, as: 'hidden-folder' | 'hidden-file'): boolean {
  try {
    fs.mkdirSync(as === 'hidden-file' ? path.dirname(place) : place, { recursive: true, mode: 0o700 });
    if (as === 'hidden-file') fs.closeSync(fs.openSync(place, 'a', 0o600));
    return true;
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
    if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return false;
    return refuse(place, `pluglot keeps things there, and it cannot be made (${code})`);
  }
}

/**
 * Where the `.git` of a folder is a file, it names the repository, which has to name the folder in turn. A confined program could write both
 * into a folder of its own: what is shown is outside of those, and is a repository.
 */
function linkedRepository(folder: string, isWritable: (file: string) => boolean, home: string): Shown[] {
  const file = path.join(folder, '.git');
  const named = /^gitdir: (.*)/.exec(readText(file))?.[1];
  if (named === undefined) return [];
  const git = realPath(path.resolve(folder, named));
  // `git worktree add` writes this, and submodules have the other.
  const names = [
    readText(path.join(git, 'gitdir')).trim(),
    path.resolve(
      git,
      /^\s*worktree\s*=\s*"?([^"\n]*)/im.exec(readText(path.join(git, 'config')))?.[1] ?? '',
      '.git',
    ),
  ];
  if (!names.some((name) => realPath(name) === file)) return [];
  const common = realPath(path.resolve(git, readText(path.join(git, 'commondir')).trim()));
  const isRepository = ['objects', 'refs'].every((name) => isFolder(path.join(common, name)));
  if (!isRepository || !isInside(common, git) || isWritable(git) || isTooWide(common, home)) return [];
  return [...new Set([git, common])].map((each) => ({ path: each, as: 'read-only' }));
}

/** Where the program and what interprets it are installed, as far as the system's folders do not show it; folders, or single files. */
function installationOf({ command, env }: Program, home: string): string[] {
  const shown = new Set<string>();
  let file: string | undefined = command;
  let isChosen = true;
  // A script may name a script.
  for (let depth = 0; file !== undefined && depth < 4; depth += 1) {
    const real = realPath(file);
    for (const each of [file, real]) {
      if (!SYSTEM_FOLDERS.some((folder) => isInside(folder, each)))
        shown.add(isChosen ? installationFolder(each, home) : real);
    }
    const shebang = readShebang(real);
    // A script can name any file. What is found in PATH is what the user has installed.
    isChosen = shebang?.viaEnv === true;
    file =
      shebang === undefined || shebang.program === ''
        ? undefined
        : shebang.viaEnv
          ? findInPath(shebang.program, { path: env['PATH'] ?? '', cwd: '/' })
          : shebang.program;
  }
  return [...shown].filter((each) => isFolder(each) || isExecutable(each));
}

/** `X` for `X/bin/NAME`, all modules for one in `node_modules`, else the folder of the file; the file alone where much else is in that. */
function installationFolder(file: string, home: string): string {
  const folder = path.dirname(file);
  const modules = folder.split(path.sep).indexOf('node_modules');
  const isPart = ['bin', 'sbin', 'libexec', 'shims'].includes(path.basename(folder));
  const whole = realPath(isPart ? path.dirname(folder) : folder);
  const isShared = ['/', '/opt', path.join(home, '.local'), path.join(home, '.config')].includes(whole);
  const shown =
    modules === -1
      ? isShared || isTooWide(whole, home)
        ? realPath(folder)
        : whole
      : realPath(
          folder
            .split(path.sep)
            .slice(0, modules + 1)
            .join(path.sep),
        );
  const isOfSystem = ['/etc', '/proc', '/sys', '/dev', '/run', '/boot'].some((each) => isInside(each, shown));
  return isOfSystem || isTooWide(shown, home) ? realPath(file) : shown;
}

export function realPath(file: string): string {
  try {
    return fs.realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

function isFolder(file: string): boolean {
  return statOf(file)?.isDirectory() ?? false;
}

function isExecutable(file: string): boolean {
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

/** Empty where there is no such file, or too much of it. */
export function readText(file: string): string {
  // A confined program may have made it: to open a pipe would wait for ever.
  const stat = statOf(file);
  if (stat?.isFile() !== true || stat.size > TEXT_MAX) return '';
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const TEXT_MAX = 1024 * 1024;
