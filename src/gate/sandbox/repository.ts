// The git repository of a writable workspace. Inside, `.git` is a copy of its small files over the real objects, refs and logs: git works,
// and nothing else in the real `.git` can be created, replaced or renamed. What git changed in the copies is taken over afterwards.
// Covering single files of the real `.git` would not hold: one that is replaced outside is no longer covered inside.
// Other programs that run can change objects, refs and logs at any moment, and may have been given a descriptor of the copy: whatever is
// there is named from a held folder, read once, checked in memory, and written from there.
import path from 'node:path';
import { sentence } from '../../base/text.ts';
import {
  type FileContent,
  Folder,
  type FolderEntry,
  givingWay,
  type Name,
} from '../../fleet/trust/folder.ts';
import { gitlinksIn, oddityOf } from './git-index.ts';
import type { Shown } from './shown.ts';
import { dangerIn, isSameTree, readTree, type Tree, UNFINISHED, writeTree } from './unfinished-work.ts';

export interface RepositoryCopy {
  readonly shown: readonly Shown[];
  /** Takes over what was changed, once the program cannot change it any more. Returns what the user has to know of that. */
  takeOver(): Promise<string>;
}

/** Data alone: nothing in them makes git run a program. With how deep git follows links in them when it writes. */
const SHARED: Readonly<Record<string, number>> = {
  objects: 1,
  'objects/info': Infinity,
  'objects/pack': Infinity,
  refs: Infinity,
  logs: Infinity,
  lfs: 4,
};

/** They name other repositories, whose configuration git reads. */
const ALTERNATES = ['alternates', 'http-alternates'];

const MiB = 1024 * 1024;

/** The files that are copied and taken over, and how large each may be. */
function bytesAllowed(name: string): number | undefined {
  if (/^(?:index|packed-refs|shallow|sharedindex\.[0-9a-f]+)$/.test(name)) return 64 * MiB;
  return DATA.has(name) ? MiB : undefined;
}

/** What git writes beside its configuration: names of commits, and messages. */
const DATA = new Set([
  'AUTO_MERGE',
  'BISECT_ANCESTORS_OK',
  'BISECT_EXPECTED_REV',
  'BISECT_FIRST_PARENT',
  'BISECT_HEAD',
  'BISECT_LOG',
  'BISECT_NAMES',
  'BISECT_START',
  'BISECT_TERMS',
  'CHERRY_PICK_HEAD',
  'COMMIT_EDITMSG',
  'FETCH_HEAD',
  'HEAD',
  'MERGE_AUTOSTASH',
  'MERGE_HEAD',
  'MERGE_MODE',
  'MERGE_MSG',
  'ORIG_HEAD',
  'REBASE_HEAD',
  'REVERT_HEAD',
  'SQUASH_MSG',
  'TAG_EDITMSG',
]);

/**
 * @param copy an empty folder
 * @param links the submodules that the index names
 * @returns why git can only read instead, where there is too much in the repository to look at
 */
export function copyRepository(
  git: string,
  copy: string,
  links: ReadonlySet<string>,
): RepositoryCopy | { readonly tooLarge: string } {
  return inBoth(git, copy, (original, copied) => {
    // Of a program that was killed together with its host.
    for (const name of Object.keys(SHARED)) {
      const walk = removeLinks(original, git, name);
      let steps = 0;
      for (let { done } = walk.next(); done !== true; { done } = walk.next()) {
        steps += 1;
        if (steps > STEPS_AT_START) {
          walk.return([]);
          return { tooLarge: note(tooLarge(path.join(git, name))) };
        }
      }
    }
    return copyOf(original, copied, { git, copy, links });
  });
}

function inBoth<T>(git: string, copy: string, use: (original: Folder, copied: Folder) => T): T {
  const original = Folder.open(git);
  try {
    const copied = Folder.open(copy);
    try {
      return use(original, copied);
    } finally {
      copied.close();
    }
  } finally {
    original.close();
  }
}

interface CopyPlaces {
  readonly git: string;
  readonly copy: string;
  readonly links: ReadonlySet<string>;
}

/** What was copied, to be compared with what is there at the end. */
interface Copied {
  readonly files: ReadonlyMap<string, { readonly original: string; readonly copied: string }>;
  readonly folders: ReadonlyMap<string, Tree>;
  /** Shown as they are, and not taken over. */
  readonly unusable: ReadonlySet<string>;
  readonly alternates: ReadonlyMap<string, Buffer | undefined>;
}

function copyOf(original: Folder, copied: Folder, places: CopyPlaces): RepositoryCopy {
  const { git, copy } = places;
  const identity = folderIdentity(original);
  const shown: Shown[] = [{ path: git, as: 'writable', from: copy }];
  const files = new Map<string, { readonly original: string; readonly copied: string }>();
  const folders = new Map<string, Tree>();
  const unusable = new Set<string>();
  const alternates = new Map(ALTERNATES.map((name) => [name, alternatesIn(original, name)]));
  for (const name of original.names()) {
    const from = path.join(git, name);
    const stat = original.stat(name);
    if (stat?.isDirectory()) {
      const tree = UNFINISHED.includes(name) ? readTree(original, name) : 'absent';
      if (typeof tree !== 'string') {
        folders.set(name, tree);
        writeTree(copied, name, tree);
        continue;
      }
      if (tree === 'unusable') unusable.add(name);
      copied.make(name);
      const isShared = name in SHARED;
      if (isShared || original.inside(name, (folder) => folder.names(1).length > 0))
        shown.push({ path: from, as: isShared ? 'writable' : 'read-only' });
    } else if (stat?.isFile()) {
      const found = original.read(name, bytesAllowed(name) ?? -1);
      if (typeof found === 'object') {
        const { bytes, stat: times } = found;
        copied.write(name, bytes, { mode: Number(times.mode) & 0o777, times });
        files.set(name, { original: identityOf(times), copied: identityOf(copied.stat(name)) });
      } else if (!name.endsWith('.lock') && name !== 'description') {
        copied.write(name, '');
        shown.push({ path: from, as: 'read-only' });
        unusable.add(name);
      }
    }
  }
  const before: Copied = { files, folders, unusable, alternates };
  return {
    shown,
    async takeOver() {
      const now = Folder.find(git);
      const inside = Folder.find(copy);
      try {
        if (now === undefined || inside === undefined || folderIdentity(now) !== identity)
          return note(
            `${git} was replaced while the program ran. Nothing that it changed in the repository was taken over.`,
          );
        const removed: string[] = [];
        for (const folder of Object.keys(SHARED))
          removed.push(...(await givingWay(removeLinks(now, git, folder))));
        return [...removed, ...takeOverFrom(inside, now, before, places)].map(note).join('');
      } finally {
        now?.close();
        inside?.close();
      }
    },
  };
}

function note(text: string): string {
  return `pluglot: ${text}\n`;
}

function takeOverFrom(copied: Folder, original: Folder, before: Copied, places: CopyPlaces): string[] {
  const { files, folders, unusable } = before;
  const notes = ALTERNATES.map((name) =>
    restoreAlternates(original, name, before.alternates.get(name), places),
  );
  const names = copied.names(NAMES_MAX).filter((name) => bytesAllowed(name) !== undefined);
  for (const name of new Set([...files.keys(), ...names])) {
    const limit = bytesAllowed(name);
    if (limit === undefined || unusable.has(name)) continue;
    const known = files.get(name);
    if (identityOf(copied.stat(name)) === (known?.copied ?? '')) continue;
    const found = copied.read(name, limit);
    notes.push(
      objectionTo(name, found) ??
        objectionToIndex(name, found, original, places.links) ??
        takeOverFile(original, name, found, known?.original ?? '', places),
    );
  }
  for (const name of UNFINISHED)
    if (!unusable.has(name)) notes.push(takeOverFolder(copied, original, name, folders.get(name), places));
  return notes.filter((each) => each !== undefined);
}

/** git itself has a few dozen there. */
const NAMES_MAX = 10_000;

/**
 * Links, which git outside would follow to wherever they lead, and pipes, on which it would wait for ever. git itself makes none there.
 * It yields from time to time.
 * @param original the repository, which is at `git`
 * @param shared one of the folders that programs write to
 */
function* removeLinks(original: Folder, git: string, shared: string): Generator<void, string[]> {
  const notes: string[] = [];
  const open: {
    readonly folder: Folder;
    readonly place: string;
    readonly rest: Generator<FolderEntry, void>;
  }[] = [];
  let removed = 0;
  const enter = (folder: Folder, place: string) => {
    // The program may have taken rights away, so that what is in it cannot be removed.
    folder.permit();
    open.push({ folder, place, rest: folder.entries() });
  };
  const depth = SHARED[shared] ?? 0;
  const top = openBelow(original, shared.split('/'));
  if (top === undefined) return [];
  enter(top, path.join(git, shared));
  try {
    let count = 0;
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      count += 1;
      if (count % ENTRIES_AT_ONCE === 0) yield;
      const { folder, place, rest } = last;
      const next = rest.next();
      if (next.done === true) {
        open.pop();
        folder.close();
        continue;
      }
      const { name, kind } = next.value;
      const file = path.join(place, String(name));
      if (kind === 'folder') {
        // What is too deep to be named is not reached by git either.
        const isReached = open.length < depth && file.length < PATH_MAX;
        const inner = isReached ? folder.find(name) : undefined;
        if (inner !== undefined) enter(inner, file);
      } else if (kind === 'other') {
        folder.remove(name);
        removed += 1;
        if (removed <= NOTES_MAX) notes.push(`${file} was removed: git makes no link or pipe there.`);
      }
    }
  } finally {
    for (const { folder, rest } of open) {
      rest.return();
      folder.close();
    }
  }
  return removed > NOTES_MAX
    ? [...notes, `${removed - NOTES_MAX} further links and pipes in ${path.join(git, shared)} were removed.`]
    : notes;
}

/** Some milliseconds of work. */
const ENTRIES_AT_ONCE = 1000;
/** At the start of a program the host waits for it. */
const STEPS_AT_START = 20;
const PATH_MAX = 4096;
const NOTES_MAX = 20;

function tooLarge(folder: string): string {
  return `git could only read: ${folder} has more than ${STEPS_AT_START * ENTRIES_AT_ONCE} files and folders. Remove what git does not need there, or run git outside of the sandbox.`;
}

function openBelow(folder: Folder, names: readonly Name[]): Folder | undefined {
  let found: Folder | undefined = folder;
  for (const name of names) {
    const next: Folder | undefined = found?.find(name);
    if (found !== folder) found?.close();
    found = next;
  }
  return found;
}

function alternatesIn(original: Folder, name: string): Buffer | undefined {
  const found = original.inside('objects', (objects) =>
    objects.inside('info', (info) => info.read(name, ALTERNATES_BYTES_MAX)),
  );
  return typeof found === 'object' ? found.bytes : undefined;
}

const ALTERNATES_BYTES_MAX = MiB;

/** @param before what it held; undefined where there was none */
function restoreAlternates(
  original: Folder,
  name: string,
  before: Buffer | undefined,
  { git }: CopyPlaces,
): string | undefined {
  const file = path.join(git, 'objects', 'info', name);
  return original.inside('objects', (objects) => {
    if (before !== undefined && !objects.isFolder('info')) objects.make('info');
    return objects.inside('info', (info) => {
      const now = info.read(name, ALTERNATES_BYTES_MAX);
      if (typeof now === 'object' ? before?.equals(now.bytes) : now === 'absent' && before === undefined)
        return undefined;
      if (info.isFolder(name)) for (const _ of info.removeTree(name));
      if (before === undefined) info.remove(name);
      else info.replace(name, before);
      return `${file} was left as it was: the program named other repositories in it.`;
    });
  });
}

type Found = ReturnType<Folder['read']>;

/** Why a file that was changed in the copy is not taken over. */
function objectionTo(name: string, found: Found): string | undefined {
  const left = (why: string) => sentence(`${name} of git was left as it was: ${why}`);
  if (found === 'absent')
    // Without it git does not take the folder for a repository, and looks for one above it.
    return name === 'HEAD' ? left('the program removed it') : undefined;
  if (found === 'not-a-file') return left('the program put something else in its place');
  if (found === 'too-large') return left('what the program made of it is too large');
  if (name === 'HEAD' && !isHead(found.bytes.toString('latin1')))
    return left('what the program made of it names no branch or commit');
  return undefined;
}

function isHead(text: string): boolean {
  return (
    /^(?:ref: refs\/[^\s~^:?*[\\\u007F]+|[0-9a-f]{40}|[0-9a-f]{64})\n?$/.test(text) &&
    !text.includes('..') &&
    // oxlint-disable-next-line no-control-regex -- they are what it looks for
    !/[\u0000-\u0008\u000E-\u001F]/.test(text)
  );
}

/**
 * The submodules that the index of a repository names, or one that it is split into.
 * @throws Error when it cannot be read
 */
export function submodulesOf(git: Folder): Set<string> {
  if (!git.isFile('index')) return new Set();
  const parts = git.names().filter((name) => name.startsWith('sharedindex.'));
  return new Set(['index', ...parts].flatMap((name) => [...gitlinksIn(indexIn(git, name), idBytesOf(git))]));
}

/** Whether the index is one that can be checked when a program has changed it. A split or sparse one cannot. */
export function hasPlainIndex(git: Folder): boolean {
  return !git.isFile('index') || oddityOf(indexIn(git, 'index'), idBytesOf(git)) === undefined;
}

function indexIn(git: Folder, name: string): Buffer {
  const found = git.read(name, INDEX_BYTES_MAX);
  if (typeof found !== 'object') throw new Error(`${name} of git cannot be read: it is ${found}.`);
  return found.bytes;
}

/** Of one that is only read. */
const INDEX_BYTES_MAX = 1024 * MiB;

function idBytesOf(git: Folder): number {
  const config = git.read('config', MiB);
  const text = typeof config === 'object' ? config.bytes.toString('latin1') : '';
  return /^\s*objectformat\s*=\s*"?sha256/im.test(text) ? 32 : 20;
}

/** git believes its index: it writes to the paths in it, enters every repository that it names, and runs what that is configured to run. */
function objectionToIndex(
  name: string,
  found: Found,
  git: Folder,
  known: ReadonlySet<string>,
): string | undefined {
  if (!name.includes('index') || typeof found !== 'object') return undefined;
  const left = (why: string) => sentence(`The index of git was left as it was: ${why}`);
  const index = found.bytes;
  const oddity = oddityOf(index, idBytesOf(git));
  if (oddity !== undefined) return left(`what the program made of it is not as git writes it (${oddity})`);
  const added = [...gitlinksIn(index, idBytesOf(git))].filter((each) => !known.has(each));
  if (added.length === 0) return undefined;
  return left(
    `the program added ${added.join(', ')} as a repository in the repository. Add it outside of the sandbox`,
  );
}

/** @param before what it was when it was copied */
function takeOverFile(
  original: Folder,
  name: string,
  found: Found,
  before: string,
  { git }: CopyPlaces,
): string | undefined {
  const file = path.join(git, name);
  const lock = `${name}.lock`;
  const stat = original.stat(name);
  try {
    // As git itself does. With its time: git takes files that are newer than its index for changed.
    const mode = stat === undefined ? undefined : Number(stat.mode) & 0o777;
    if (typeof found === 'object')
      original.write(lock, found.bytes, { ...(mode !== undefined && { mode }), times: found.stat });
    else original.write(lock, '');
  } catch {
    return `${file} was left as it was: git is at work outside of the sandbox.`;
  }
  try {
    if (identityOf(original.stat(name)) !== before)
      return `${file} was changed outside of the sandbox meanwhile and was left as it is.`;
    if (typeof found === 'object') original.rename(lock, name);
    else original.remove(name);
    return undefined;
  } finally {
    original.remove(lock);
  }
}

/** @param before what it was when it was copied; undefined when it was not there */
function takeOverFolder(
  copied: Folder,
  original: Folder,
  name: string,
  before: Tree | undefined,
  { git }: CopyPlaces,
): string | undefined {
  const place = path.join(git, name);
  const now = readTree(copied, name);
  if (isSameTree(now, before ?? 'absent')) return undefined;
  if (!isSameTree(readTree(original, name), before ?? 'absent'))
    return `${place} was changed outside of the sandbox meanwhile and was left as it is.`;
  const danger =
    now === 'unusable' ? 'a file that git does not use there' : now !== 'absent' && dangerIn(now);
  // To continue it outside would run what the program wrote.
  if (danger)
    return `${place} was left as it was: it has ${danger}, which can run commands. Continue in the sandbox, or start again outside.`;
  for (const _ of original.removeTree(name));
  if (typeof now !== 'string') writeTree(original, name, now);
  return undefined;
}

/** Differs after every change; empty when there is no such file. */
function identityOf(stat: FileContent['stat'] | undefined): string {
  return stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
}

/** Inodes are used again, by folders of another mode at times. */
function folderIdentity(folder: Folder): string {
  const stat = folder.stat();
  return stat === undefined ? '' : [stat.dev, stat.ino, stat.mode].join(' ');
}
