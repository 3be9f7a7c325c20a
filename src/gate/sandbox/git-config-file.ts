// Which files of a work tree the configuration of git names: further configuration, hooks, and programs that git runs. A program that could
// write one of them would have git run it outside, at the next `git status`.
import path from 'node:path';
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
}

/** Absolute paths, whether there is a file or not. `git` is the `.git` of the work tree. */
export function filesNamedByGit(
  worktree: string,
  git: string,
  { home, files }: GitConfigPlaces,
): readonly string[] {
  const named = new Set<string>();
  const read = new Set<string>();
  const resolve = (folder: string, value: string) =>
    path.resolve(folder, value.startsWith('~/') ? path.join(home, value.slice(2)) : value);
  const follow = (file: string, depth: number): void => {
    if (read.has(file) || read.size >= FILES_MAX || depth > DEPTH_MAX) return;
    read.add(file);
    for (const { section, name, value } of parseGitConfig(readText(file))) {
      if (name === 'path' && (section === 'include' || section === 'includeif')) {
        const included = resolve(path.dirname(file), value);
        named.add(included);
        follow(included, depth + 1);
      } else if (section === 'core' && name === 'hookspath') named.add(resolve(worktree, value));
      else if (runsProgram(section, name, value))
        for (const file of programsIn(value, (word) => resolve(worktree, word))) named.add(file);
    }
  };
  for (const file of [...files, ...configurationOf(git)]) follow(file, 0);
  return [...named];
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

/** Settings whose value is a command line. */
function runsProgram(section: string, name: string, value: string): boolean {
  if (section === 'pager') return true;
  if (section === 'alias') return value.startsWith('!');
  return PROGRAMS[section]?.includes(name) ?? false;
}

/** The words of a command line that are paths of files: of the program, and of a script that it is given. */
function programsIn(line: string, resolve: (word: string) => string): string[] {
  const words = line.replace(/^!/, '').split(/[\s"';|&()]+/);
  return words
    .filter((word) => word.includes('/') && /^~?[\w.@+/-]+$/.test(word))
    .map(resolve)
    .filter((file) => statOf(file)?.isDirectory() !== true);
}

const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  core: ['askpass', 'editor', 'fsmonitor', 'gitproxy', 'pager', 'sshcommand'],
  credential: ['helper'],
  diff: ['command', 'external', 'textconv'],
  difftool: ['cmd', 'path'],
  filter: ['clean', 'process', 'smudge'],
  gpg: ['program', 'defaultkeycommand'],
  interactive: ['difffilter'],
  merge: ['driver'],
  mergetool: ['cmd', 'path'],
  sequence: ['editor'],
  uploadpack: ['packobjectshook'],
};

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
