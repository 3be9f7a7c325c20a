// What a confined program sees: the system, its own installation, the folders it is given; and what is hidden even in those.
import fs from 'node:fs';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { kindOf } from '../../base/search-path.ts';
import { sentence } from '../../base/text.ts';
import type { Program } from '../../fleet/supervisor/spawn.ts';
import { isInside, placesOnTheWay } from '../../fleet/trust/paths.ts';
import { isAbsent } from '../../fleet/trust/placeholders.ts';
import { installationOf } from './installation.ts';
import { ownPlacesOf } from './own-files.ts';
import { isFolder, isTooWide, makeByStep, NEVER_WRITABLE, readText, realPath, TOO_WIDE } from './places.ts';
import type { Access, Confinement, OwnPlaces, SandboxHost } from './sandbox.ts';

/** One thing in the order of depth: what is deeper is laid over what is above it. */
export interface Shown {
  /** Where it is inside; without links. */
  readonly path: string;
  readonly as: Access | 'hidden-folder' | 'hidden-file' | 'empty-folder';
  /** What is shown there. @default what is there outside */
  readonly from?: string;
  /** Files in it that configure git and pluglot stay as they are. */
  readonly isProtected?: boolean;
  /** A part of a writable folder, laid over itself so that it is neither renamed nor replaced. Where something above is closed, so is it. */
  readonly isKept?: boolean;
}

/**
 * The folders that the program is given, what of its installation lies outside of the system's folders, and what stays hidden in them.
 * Nothing that a confined program could have written decides what is shown: no link, and no first line of a script.
 * @throws PluglotError CONFIG_INVALID
 */
export function shownTo(program: Program, confinement: Confinement, host: SandboxHost): readonly Shown[] {
  const home = realPath(host.home);
  if (!isFolder(confinement.workspace)) refuse(confinement.workspace, 'it is not a folder');
  const named = [
    { path: confinement.workspace, access: confinement.access, isOwn: false },
    ...(confinement.folders ?? []),
  ];
  const writable = [
    ...named.filter(({ access }) => access === 'writable').map(({ path: folder }) => folder),
    // No program is given one that holds too much.
    ...(host.writable?.() ?? []).filter((folder) => !isTooWide(realPath(folder), home)),
  ].map(realPath);
  const hidden = hiddenPlaces(ownPlacesOf(host));
  const given = named.map(({ path: folder, access, isOwn = false }): Shown => {
    const place = checkedFolder(folder, access, home, writable);
    if (!isOwn) checkNotHidden(place, hidden, confinement.workspace);
    return { path: place, as: access, isProtected: !isOwn && isFolder(place) };
  });
  const own = [...given, ...ownFilesOf(confinement, given, { writable, hidden, home })];
  const granted = [...own, ...grantedInside(own, hidden, host)];
  const folders = [...granted, ...foldersBetween(granted)];
  const installed = installationOf(program, home, writable)
    .filter((folder) => !folders.some((each) => isInside(each.path, folder)))
    .map((folder) => ({ path: folder, as: 'read-only' as const }));
  const isWritable = (file: string) => writable.some((folder) => isInside(folder, file));
  const linked = folders.flatMap(({ path: each, isProtected }) =>
    isProtected ? linkedRepository(each, isWritable, home) : [],
  );
  const shown: Shown[] = [{ path: home, as: 'empty-folder' }, ...installed, ...linked, ...folders];
  return [...shown, ...hiddenIn(shown, hidden)].sort((a, b) => a.path.length - b.path.length);
}

/** Folders that other programs are given in those of this one: what is protected there for them, this one must not exchange. */
function grantedInside(own: readonly Shown[], hidden: HiddenPlaces, host: SandboxHost): readonly Shown[] {
  const known = new Set(own.map(({ path: folder }) => folder));
  const outer = own.filter(({ as, isProtected }) => as === 'writable' && isProtected);
  // What is read-only, hidden, or of a plugin alone, stays so.
  const closed = [
    ...own.filter((each) => !outer.includes(each)).map(({ path: each }) => each),
    ...hidden.folders,
  ];
  return (host.writable?.() ?? []).flatMap((folder) => {
    const real = realPath(folder);
    const isInner =
      !known.has(real) &&
      isFolder(real) &&
      outer.some(({ path: each }) => isInside(each, real)) &&
      !isInRepository(real) &&
      !closed.some((each) => isInside(each, real));
    return isInner ? [{ path: real, as: 'writable' as const, isProtected: true, isKept: true }] : [];
  });
}

/** What lies between a writable folder and one in it that is shown apart: renamed, it would take that one to where nothing is known of it. */
function foldersBetween(folders: readonly Shown[]): readonly Shown[] {
  const known = new Set(folders.map(({ path: folder }) => folder));
  const between = folders.flatMap(({ path: inner }) => {
    const [outer] = folders
      .filter(({ path: each }) => each !== inner && isInside(each, inner))
      .sort((a, b) => b.path.length - a.path.length);
    if (outer?.as !== 'writable') return [];
    const steps = path.relative(outer.path, inner).split(path.sep).slice(0, -1);
    return steps.map((_, index) => path.join(outer.path, ...steps.slice(0, index + 1)));
  });
  return [...new Set(between)]
    .filter((folder) => !known.has(folder))
    .map((folder) => ({ path: folder, as: 'writable', isKept: true }));
}

/** What the program itself consists of, as far as the given folders do not show it. */
function ownFilesOf(
  { workspace, ownFiles = [] }: Confinement,
  given: readonly Shown[],
  { writable, hidden, home }: { writable: readonly string[]; hidden: HiddenPlaces; home: string },
): readonly Shown[] {
  const isShown = (place: string) => given.some(({ path: each }) => isInside(each, place));
  const places = ownFiles.flatMap(({ path: file, withPackage }) => {
    // Who can write a link that stays in the same folder can write what it leads to as well (`node_modules/.bin`).
    const place = checkedPlace(file, writable, 'may stay inside', isShown);
    if (isShown(place)) return [];
    checkNotHidden(place, hidden, workspace);
    const folder = isFolder(place) ? place : path.dirname(place);
    const shown = withPackage ? packageOf(folder, writable) : place;
    return isTooWide(shown, home) ? (shown === place || isFolder(place) ? [] : [place]) : [shown];
  });
  for (const place of places) checkNotHidden(place, hidden, workspace);
  return [...new Set(places)]
    .filter((place) => !isShown(place))
    .map((place) => ({ path: place, as: 'read-only', isProtected: isFolder(place) }));
}

/** The folder of a package that a folder belongs to, where it does. What is in a writable folder does not lead out of it. */
function packageOf(folder: string, writable: readonly string[]): string {
  const bounds = writable.filter((each) => isInside(each, folder));
  let above = folder;
  for (let steps = 0; steps < 4 && bounds.every((each) => isInside(each, above)); steps += 1) {
    if (['package.json', 'pyproject.toml'].some((name) => kindOf(path.join(above, name)) !== undefined))
      return above;
    above = path.dirname(above);
  }
  return folder;
}

function checkedFolder(folder: string, access: Access, home: string, writable: readonly string[]): string {
  const real = checkedPlace(folder, writable);
  if (isInside(real, home)) refuse(folder, 'it holds the home folder');
  const inside = TOO_WIDE.map(realPath).find((each) => isInside(real, each));
  if (inside !== undefined) refuse(folder, `it holds ${inside}`);
  const system = access === 'writable' && NEVER_WRITABLE.map(realPath).find((each) => isInside(each, real));
  if (system) refuse(folder, `${system} is a folder of the system, and nothing in it is writable`);
  if (access === 'writable' && isInRepository(real))
    refuse(folder, 'what is in .git decides what git runs, and is not writable');
  return real;
}

/** Whether it is the repository of a work tree, or lies in it. The file system of macOS ignores case. */
function isInRepository(place: string): boolean {
  return place.split(path.sep).some((name) => name.toLowerCase() === '.git');
}

/**
 * Where a path leads, found by steps: no link on the way is one that a confined program could have made. All that is shown by a path of the
 * configuration goes through this.
 * @param links `may stay inside`: one that leads to what the same programs can write, or to what is shown anyway, is followed
 */
function checkedPlace(
  file: string,
  writable: readonly string[],
  links: 'refused' | 'may stay inside' = 'refused',
  isShown: (place: string) => boolean = () => false,
): string {
  if (!path.isAbsolute(file)) refuse(file, 'its path is not absolute');
  const way = placesOnTheWay(file);
  const place = way.at(-1) ?? file;
  const leadsOut = (link: string) => {
    const around = writable.filter((folder) => isInside(folder, link));
    const staysInside = isShown(place) || around.every((folder) => isInside(folder, place));
    return around.length > 0 && !(links === 'may stay inside' && staysInside);
  };
  const link = way.slice(0, -1).find(leadsOut);
  if (link !== undefined) refuse(file, `${link} is a link in a folder that confined programs can write to`);
  if (!fs.existsSync(place)) refuse(file, 'it is not there');
  const real = realPath(place);
  // The file system of macOS ignores case.
  if (inOneCase(real) !== inOneCase(place)) refuse(file, 'it was replaced meanwhile, or has too many links');
  return real;
}

function inOneCase(file: string): string {
  return process.platform === 'darwin' ? file.normalize('NFC').toLowerCase() : file;
}

/** What lies in a hidden place is not shown either. Plugins may be installed in the folders of pluglot. */
function checkNotHidden(place: string, { folders, files }: HiddenPlaces, workspace: string): void {
  const around = [...folders, ...files].find(
    (each) =>
      isInside(each, place) &&
      !isInside(path.join(each, 'plugins'), place) &&
      // Answers may be taken in a folder above the project.
      (each === place || !isInside(each, realPath(workspace))),
  );
  if (around === undefined) return;
  const where = around === place ? 'it' : around;
  refuse(place, `${where} holds secrets, or what pluglot keeps`);
}

function refuse(place: string, why: string): never {
  const [what, advice] = isFolder(place)
    ? ['folder', 'Choose a folder of one project.']
    : ['file', 'Choose a file of the project.'];
  throw new PluglotError(
    'CONFIG_INVALID',
    `The ${what} ${place} cannot be shown to a confined program: ${sentence(why)} ${advice}`,
  );
}

/** Where the places lead that are hidden from every confined program. */
interface HiddenPlaces {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

function hiddenPlaces({ hidden, hiddenFiles }: OwnPlaces): HiddenPlaces {
  const ends = (places: readonly string[]) => places.map((place) => placesOnTheWay(place).at(-1) ?? place);
  return { folders: ends(hidden), files: ends(hiddenFiles) };
}

function hiddenIn(shown: readonly Shown[], { folders, files }: HiddenPlaces): Shown[] {
  const isShown = (place: string) =>
    shown.some(({ path: each, as }) => as !== 'empty-folder' && isInside(each, place));
  // What lies in another one is hidden with it.
  const isInner = (place: string) =>
    folders.some((each) => each !== place && isInside(each, place) && isShown(each));
  const places = [
    ...folders
      .filter(isShown)
      .filter((place) => isThere(place) || (!isInner(place) && isMade(place, 'hidden-folder'))),
    ...files
      .filter(isShown)
      .filter((place) => isThere(place) || (!isInner(place) && isMade(place, 'hidden-file'))),
  ];
  return [...new Set(places)].map((place) => ({
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
    makeByStep(place, as === 'hidden-file' ? 'file' : 'folder');
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
