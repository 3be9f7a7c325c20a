// Which files of a work tree the configuration of git names: further configuration, hooks, and programs that git runs. A program that could
// write one of them would have git run it outside, at the next `git status`.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { Folder, readText, realPath } from '../../fleet/trust/folder.ts';
import { placesOnTheWay } from '../../fleet/trust/paths.ts';
import { statOf } from './places.ts';

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

/**
 * Absolute paths, whether there is a file or not, with every link on the way. `git` is the `.git` of the work tree.
 * @throws PluglotError CONFIG_INVALID where one of them is not UTF-8, and cannot be protected
 */
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
  const found: GitSetting[] = [...settings];
  const follow = (file: string, depth: number): void => {
    named.add(file);
    if (read.has(file) || depth > DEPTH_MAX) return;
    if (read.size >= FILES_MAX)
      cannotConfine(`the configuration of git (${git}) includes more than ${FILES_MAX} files.`);
    read.add(file);
    for (const one of parseGitConfig(readText(file))) {
      if (one.name === 'path' && (one.section === 'include' || one.section === 'includeif'))
        follow(resolve(path.dirname(file), one.value), depth + 1);
      else found.push(one);
    }
  };
  for (const file of [...files, ...configurationOf(git)]) follow(file, 0);
  const [folder = git, common = folder] = repositoriesOf(git);
  // Relative paths start at the work tree, which may be configured.
  const worktrees = new Set([worktree]);
  for (const { section, name, value } of found)
    if (section === 'core' && name === 'worktree') worktrees.add(path.resolve(folder, value));
  for (const start of worktrees)
    for (const { section, name, value } of found) {
      if (section === 'core' && name === 'hookspath') nameHooks(resolve(start, value));
      else if (name === 'templatedir') named.add(resolve(start, value));
      else if (runsProgram(section, name, value))
        for (const program of programsIn(name, value, (word) => resolve(start, word))) named.add(program);
    }
  nameHooks(path.join(common, 'hooks'));
  const places = [...new Set([...named].flatMap(placesOnTheWay))];
  for (const place of places) if (place.includes(NOT_UTF8)) isNotText(place, git);
  return places;
}

/** What is read in the place of bytes that are not UTF-8. */
const NOT_UTF8 = '\uFFFD';

function isNotText(place: string, git: string): never {
  return cannotConfine(
    `the configuration of git (${git}) names ${JSON.stringify(place)}, whose name is not UTF-8 and cannot be protected. Give it another name.`,
  );
}

function cannotConfine(why: string): never {
  throw new PluglotError('CONFIG_INVALID', `No program can be confined here: ${why}`);
}

function entriesOf(folder: string): readonly string[] {
  let names: readonly string[] | undefined;
  try {
    names = Folder.within(realPath(folder), (held) => held.names(FILES_MAX + 1)) ?? [];
  } catch {
    // Answered below.
  }
  if (names !== undefined && names.length <= FILES_MAX) return names;
  return cannotConfine(
    `the folder ${folder}, where git looks for hooks, cannot be read or has more than ${FILES_MAX} files.`,
  );
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
  if (name === 'url' || name === 'pushurl') return value.startsWith('ext::');
  return PROGRAMS.test(name);
}

const PROGRAMS =
  /(?:askpass|clean|cmd|command|difffilter|driver|editor|external|filter|fsmonitor|helper|hook|httpd|pager|process|program|proxy|receivepack|smtpserver|smudge|textconv|tunnel|uploadpack)$/;

/**
 * The files that a value names: the program, and what it is given. git runs some values as they are and gives others to a shell, so it is
 * read both ways.
 */
function programsIn(name: string, value: string, resolve: (word: string) => string): string[] {
  // `$PWD/x` and `$(git rev-parse --show-toplevel)/x` are files of the work tree.
  const plain = value
    .replaceAll(/(["'])(?:\$\{?\w+\}?|\$\([^)]*\))\1\/|(?:\$\{?\w+\}?|\$\([^)]*\)|`[^`]*`)\//g, '')
    .replace(/^(?:!|ext::)/, '');
  const words = shellWords(plain);
  const pieces = plain.split(SEPARATORS);
  const inner = words.flatMap((word) => [...shellWords(word), ...word.split(SEPARATORS)]);
  const all = [...words, ...pieces, ...inner].filter((word) => word !== '');
  const files = [value, plain, ...all, ...all.flatMap(gluedTo)]
    .map(resolve)
    .filter((file) => statOf(file)?.isFile() === true);
  // The program itself may still have to be made.
  const first = WITHOUT_SHELL.test(name) ? plain : (words.find((word) => !/^\w+=/.test(word)) ?? '');
  if (first.includes('/') && statOf(resolve(first)) === undefined) files.push(resolve(first));
  return files;
}

const SEPARATORS = /[\s"'`;|&()<>=,]+/;

/** git runs the program of this name, whatever signs are in it. */
const WITHOUT_SHELL = /^(?:path|program|askpass|gitproxy|smtpserver)$/;

/** What may be the value of an option: `-ufile`, `-r./file`. */
function gluedTo(word: string): string[] {
  if (!/^-[^-]/.test(word)) return [];
  return Array.from({ length: Math.min(word.length - 2, GLUED_MAX) }, (_, index) => word.slice(index + 2));
}

const GLUED_MAX = 16;

/** As a shell splits a line, without its operators: quotes and backslashes are part of a word. */
function shellWords(line: string): string[] {
  const words = line.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\;|&()<>`])+/gs) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
      (_, double?: string, single?: string, sign?: string) =>
        double === undefined
          ? (single ?? (sign === '\n' ? '' : (sign ?? '')))
          : double.replaceAll(/\\([$`"\\\n])/g, '$1'),
    ),
  );
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
    // Some versions of git make a space of each.
    if (/[\t\r]/.test(value)) settings.push({ section, name, value: value.replaceAll(/[\t\r]/g, ' ') });
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
    if (isQuoted || (sign !== ' ' && sign !== '\t' && sign !== '\r')) length = value.length;
  }
  return { value: value.slice(0, length), end: at };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };
