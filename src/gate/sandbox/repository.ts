// The git repository of a writable workspace. Inside, `.git` is a copy of its small files over the real objects, refs and logs: git works,
// and nothing else in the real `.git` can be created, replaced or renamed. What git changed in the copies is taken over afterwards.
// Covering single files of the real `.git` would not hold: one that is replaced outside is no longer covered inside.
import fs from 'node:fs';
import path from 'node:path';
import { sentence } from '../../base/sentence.ts';
import { gitlinksIn } from './git-index.ts';
import { readText, type Shown } from './shown.ts';
import { dangerIn, isSameTree, readTree, type Tree, UNFINISHED, writeTree } from './unfinished-work.ts';

export interface RepositoryCopy {
  readonly shown: readonly Shown[];
  /** Takes over what was changed, once no program can change it any more. Returns what the user has to know of that. */
  takeOver(): string;
}

/** Data alone: nothing in them makes git run a program. With how deep git follows links in them when it writes. */
const SHARED: Readonly<Record<string, number>> = { objects: 1, refs: Infinity, logs: Infinity, lfs: 4 };

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
 */
export function copyRepository(git: string, copy: string, links: ReadonlySet<string>): RepositoryCopy {
  // Of a program that was killed together with its host.
  for (const [name, depth] of Object.entries(SHARED)) removeLinks(path.join(git, name), depth);
  const shown: Shown[] = [{ path: git, as: 'writable', from: copy }];
  const files = new Map<string, { readonly original: string; readonly copied: string }>();
  const folders = new Map<string, Tree>();
  const unusable = new Set<string>();
  for (const entry of fs.readdirSync(git, { withFileTypes: true })) {
    const { name } = entry;
    const [from, to] = [path.join(git, name), path.join(copy, name)];
    if (entry.isDirectory()) {
      const tree = UNFINISHED.includes(name) ? readTree(from) : 'absent';
      if (typeof tree !== 'string') {
        folders.set(name, tree);
        writeTree(to, tree);
        continue;
      }
      if (tree === 'unusable') unusable.add(name);
      fs.mkdirSync(to);
      const isShared = name in SHARED;
      if (fs.readdirSync(from).length > 0 || isShared)
        shown.push({ path: from, as: isShared ? 'writable' : 'read-only' });
    } else if (entry.isFile() && fs.lstatSync(from).size <= (bytesAllowed(name) ?? -1)) {
      const original = identityOf(from);
      copyFile(from, to);
      files.set(name, { original, copied: identityOf(to) });
    } else if (entry.isFile() && !name.endsWith('.lock') && name !== 'description') {
      fs.writeFileSync(to, '');
      shown.push({ path: from, as: 'read-only' });
      unusable.add(name);
    }
  }

  return {
    shown,
    takeOver() {
      const notes: (string | undefined)[] = [];
      for (const [folder, depth] of Object.entries(SHARED))
        notes.push(...removeLinks(path.join(git, folder), depth));
      for (const name of new Set([...files.keys(), ...fs.readdirSync(copy)])) {
        const limit = bytesAllowed(name);
        if (limit === undefined || unusable.has(name)) continue;
        const { original = '', copied = '' } = files.get(name) ?? {};
        const from = path.join(copy, name);
        if (identityOf(from) === copied) continue;
        notes.push(
          objectionTo(from, limit) ??
            addsLinks(from, git, links) ??
            takeOverFile(from, path.join(git, name), original),
        );
      }
      for (const name of UNFINISHED)
        if (!unusable.has(name))
          notes.push(takeOverFolder(path.join(copy, name), path.join(git, name), folders.get(name)));
      return notes.map((note) => (note === undefined ? '' : `pluglot: ${note}\n`)).join('');
    },
  };
}

/**
 * Links, which git outside would follow to wherever they lead, and pipes, on which it would wait for ever. git itself makes none there.
 * @param depth of folders in which git follows them
 */
function removeLinks(folder: string, depth: number): string[] {
  const notes: string[] = [];
  const folders = [{ folder, depth }];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of entriesOf(next.folder)) {
      const file = path.join(next.folder, entry.name);
      if (entry.isDirectory()) {
        if (next.depth > 1) folders.push({ folder: file, depth: next.depth - 1 });
      } else if (!entry.isFile()) {
        fs.rmSync(file, { force: true });
        notes.push(`${file} was removed: git makes no link or pipe there.`);
      }
    }
  }
  return notes;
}

/** None of a folder that is too deep to be named: git does not get there either. */
function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return isFolder(folder) ? fs.readdirSync(folder, { withFileTypes: true }) : [];
  } catch {
    return [];
  }
}

/** Why a file that was changed in the copy is not taken over. */
function objectionTo(from: string, limit: number): string | undefined {
  const name = path.basename(from);
  const stat = fs.lstatSync(from, { throwIfNoEntry: false });
  const left = (why: string) => sentence(`${name} of git was left as it was: ${why}`);
  if (stat === undefined)
    // Without it the folder is not a repository to git, which then looks for one around it.
    return name === 'HEAD' ? left('the program removed it') : undefined;
  if (!stat.isFile()) return left('the program put something else in its place');
  if (stat.size > limit) return left('what the program made of it is too large');
  if (name === 'HEAD' && !isHead(fs.readFileSync(from, 'latin1')))
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
 * The submodules that the index of a repository names.
 * @throws Error when it cannot be read
 */
export function submodulesOf(git: string, index = path.join(git, 'index')): Set<string> {
  if (!isFile(index)) return new Set();
  const usesSha256 = /^\s*objectformat\s*=\s*"?sha256/im.test(readText(path.join(git, 'config')));
  return gitlinksIn(fs.readFileSync(index), usesSha256 ? 32 : 20);
}

/** git enters every repository that the index names, and runs what that is configured to run. */
function addsLinks(file: string, git: string, known: ReadonlySet<string>): string | undefined {
  if (!path.basename(file).includes('index') || !isFile(file)) return undefined;
  try {
    const added = [...submodulesOf(git, file)].filter((each) => !known.has(each));
    if (added.length === 0) return undefined;
    return `The index of git was left as it was: the program added ${added.join(', ')} as a repository in the repository. Add it outside of the sandbox.`;
  } catch {
    return 'The index of git was left as it was: what the program made of it cannot be read.';
  }
}

/** @param original what it was when it was copied */
function takeOverFile(from: string, to: string, original: string): string | undefined {
  const lock = `${to}.lock`;
  try {
    // As git itself does.
    fs.closeSync(fs.openSync(lock, 'wx', 0o666));
  } catch {
    return `${to} was left as it was: git is at work outside of the sandbox.`;
  }
  try {
    if (identityOf(to) !== original)
      return `${to} was changed outside of the sandbox meanwhile and was left as it is.`;
    if (!isFile(from)) fs.rmSync(to, { force: true });
    else {
      copyFile(from, lock);
      fs.renameSync(lock, to);
    }
    return undefined;
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

/** @param original what it was when it was copied; undefined when it was not there */
function takeOverFolder(from: string, to: string, original: Tree | undefined): string | undefined {
  const now = readTree(from);
  if (isSameTree(now, original ?? 'absent')) return undefined;
  if (!isSameTree(readTree(to), original ?? 'absent'))
    return `${to} was changed outside of the sandbox meanwhile and was left as it is.`;
  const danger =
    now === 'unusable' ? 'a file that git does not use there' : now !== 'absent' && dangerIn(now);
  // To continue it outside would run what the program wrote.
  if (danger)
    return `${to} was left as it was: it has ${danger}, which can run commands. Continue in the sandbox, or start again outside.`;
  fs.rmSync(to, { recursive: true, force: true });
  if (typeof now !== 'string') writeTree(to, now);
  return undefined;
}

/** With its time: git takes files that are newer than its index for changed. */
function copyFile(from: string, to: string): void {
  const { atimeMs, mtimeMs } = fs.statSync(from);
  fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
  fs.utimesSync(to, Math.floor(atimeMs) / 1000, Math.floor(mtimeMs) / 1000);
}

/** Differs after every change; empty when there is no such file. */
function identityOf(file: string): string {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
}

function isFile(file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isFolder(file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
