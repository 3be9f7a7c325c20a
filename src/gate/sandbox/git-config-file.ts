// Which files of a work tree the configuration of git names: further configuration, hooks, and programs that git runs. A program that could
// write one of them would have git run it outside, at the next `git status`.
import fs from 'node:fs';
import path from 'node:path';
import { placesOnTheWay } from '../../fleet/trust/containment.ts';
import { readText, statOf } from './shown.ts';

export interface GitSetting {
  /** In small letters, without a subsection: `core`, `filter`. */
  readonly section: string;
  readonly name: string;
  readonly value: string;
}

export interface GitConfigPlaces {
  readonly home: string;
  /** The configuration of the user and of the system. */
  readonly files: readonly string[];
  /** What variables of the environment set. */
  readonly settings: readonly GitSetting[];
}

/** Absolute paths, whether there is a file or not, with every link on the way. `git` is the `.git` of the work tree. */
export function filesNamedByGit(
  worktree: string,
  git: string,
  { home, files, settings }: GitConfigPlaces,
): readonly string[] {
  const named = new Set<string>();
  const read = new Set<string>();
  const resolve = (folder: string, value: string) =>
    path.resolve(folder, value.startsWith('~/') ? path.join(home, value.slice(2)) : value);
  const nameHooks = (folder: string) => {
    named.add(folder);
    for (const name of entriesOf(folder)) named.add(path.join(folder, name));
  };
  const look = ({ section, name, value }: GitSetting, file: string, depth: number): void => {
    if (name === 'path' && (section === 'include' || section === 'includeif'))
      follow(resolve(path.dirname(file), value), depth + 1);
    else if (section === 'core' && name === 'hookspath') nameHooks(resolve(worktree, value));
    else if (runsProgram(section, name, value))
      for (const program of programsIn(value, (word) => resolve(worktree, word))) named.add(program);
  };
  const follow = (file: string, depth: number): void => {
    named.add(file);
    if (read.has(file) || read.size >= FILES_MAX || depth > DEPTH_MAX) return;
    read.add(file);
    for (const setting of parseGitConfig(readText(file))) look(setting, file, depth);
  };
  for (const file of [...files, ...configurationOf(git)]) follow(file, 0);
  for (const setting of settings) look(setting, path.join(worktree, 'environment'), 0);
  const [folder = git, common = folder] = repositoriesOf(git);
  nameHooks(path.join(common, 'hooks'));
  return [...new Set([...named].flatMap(placesOnTheWay))];
}

function entriesOf(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).slice(0, FILES_MAX);
  } catch {
    return [];
  }
}

/** As git reads them; more are not followed by git either. */
const DEPTH_MAX = 10;
const FILES_MAX = 200;

/** The files that configure one repository. */
function configurationOf(git: string): string[] {
  const [folder = git, common = folder] = repositoriesOf(git);
  return [...new Set([path.join(common, 'config'), path.join(folder, 'config.worktree')])];
}

/** Where `.git` is a file: the folder that it names, and the one that this shares with others. Empty where it is the repository itself. */
export function repositoriesOf(git: string): readonly string[] {
  const named = /^gitdir: (.*)/.exec(readText(git))?.[1];
  if (named === undefined) return [];
  const folder = path.resolve(path.dirname(git), named.trim());
  return [folder, path.resolve(folder, readText(path.join(folder, 'commondir')).trim())];
}

/** Settings whose value is a command line, or names a program. Aliases are not: they run when the user types them. */
function runsProgram(section: string, name: string, value: string): boolean {
  if (section === 'alias') return false;
  if (section === 'pager' || section === 'hook' || section === 'trailer') return true;
  if (name === 'path') return section !== 'submodule';
  if (name === 'update') return value.startsWith('!');
  return PROGRAMS.test(name);
}

const PROGRAMS =
  /(?:askpass|clean|cmd|command|difffilter|driver|editor|external|filter|fsmonitor|helper|hook|pager|process|program|proxy|receivepack|smudge|templatedir|textconv|uploadpack)$/;

/** The files that a command line names: the program, and what it is given. */
function programsIn(line: string, resolve: (word: string) => string): string[] {
  // `$PWD/x` and `$(git rev-parse --show-toplevel)/x` are files of the work tree.
  const plain = line.replaceAll(/\$\{?\w+\}?\/|\$\([^)]*\)\//g, '').replace(/^!/, '');
  const quoted = [...plain.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) => one ?? other ?? '');
  const words = plain.split(/[\s"'`;|&()<>=,]+/).filter((word) => word !== '');
  const files = [...words, ...quoted].map(resolve).filter((file) => statOf(file)?.isFile() === true);
  // The program itself may still have to be made.
  const [first = ''] = words;
  const isAbsent = first.includes('/') && statOf(resolve(first)) === undefined;
  return isAbsent ? [...files, resolve(first)] : files;
}

const header = /\[\s*([A-Za-z0-9.-]+)\s*(?:"(?:[^"\\\n]|\\.)*"\s*)?\]/y;
const setting = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(=)?[ \t]*/y;
const skipped = /[ \t\n\uFEFF]+|[#;][^\n]*/y;
const restOfLine = /[^\n]*/y;

/** What cannot be read is passed over; git refuses to work with such a file. */
export function parseGitConfig(text: string): GitSetting[] {
  const source = text.replaceAll('\r\n', '\n');
  const settings: GitSetting[] = [];
  let section = '';
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  while (at < source.length) {
    if (take(skipped) !== null) continue;
    const head = take(header);
    if (head !== null) {
      // `[core.x]` is an old form of `[core "x"]`.
      section = (head[1] ?? '').toLowerCase().replace(/\..*/, '');
      continue;
    }
    const found = take(setting);
    if (found === null) {
      take(restOfLine);
      continue;
    }
    const name = (found[1] ?? '').toLowerCase();
    if (found[2] === undefined) {
      settings.push({ section, name, value: 'true' });
      take(restOfLine);
      continue;
    }
    const { value, end } = valueAt(source, at);
    settings.push({ section, name, value });
    at = end;
  }
  return settings;
}

/** A value goes on after a backslash at the end of a line, and ends at a comment. */
function valueAt(source: string, start: number): { value: string; end: number } {
  let value = '';
  let isQuoted = false;
  /** Spaces at the end do not count, unless they are quoted. */
  let length = 0;
  let at = start;
  for (; at < source.length; at += 1) {
    const sign = source[at] ?? '';
    if (sign === '\n') break;
    if (!isQuoted && (sign === '#' || sign === ';')) {
      while (at < source.length && source[at] !== '\n') at += 1;
      break;
    }
    if (sign === '"') {
      isQuoted = !isQuoted;
      length = value.length;
      continue;
    }
    if (sign === '\\') {
      at += 1;
      const escaped = source[at] ?? '';
      if (escaped !== '\n') value += ESCAPES[escaped] ?? escaped;
      length = value.length;
      continue;
    }
    value += sign;
    if (isQuoted || (sign !== ' ' && sign !== '\t')) length = value.length;
  }
  return { value: value.slice(0, length), end: at };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };
