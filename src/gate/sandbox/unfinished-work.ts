// What git keeps of a rebase, merge or cherry-pick that waits for the user. Some of it makes `--continue` run a program, or write a file,
// outside of the sandbox: only what is known to be data is taken over.
import fs from 'node:fs';
import path from 'node:path';

export const UNFINISHED = ['rebase-merge', 'rebase-apply', 'sequencer'];

/** The files of a folder by their names; git uses no folders in it. */
export type Tree = ReadonlyMap<string, Buffer>;

const FILES_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;

/** 'absent' where there is no folder; 'unusable' where it holds more than is read, or a name that git does not use there. */
export function readTree(folder: string): Tree | 'absent' | 'unusable' {
  // A link could lead anywhere.
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return 'absent';
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  if (entries.length > FILES_MAX || entries.some(({ name }) => !isKnown(name))) return 'unusable';
  const tree = new Map<string, Buffer>();
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) return 'unusable';
    const file = path.join(folder, entry.name);
    bytes += fs.lstatSync(file).size;
    if (bytes > BYTES_MAX) return 'unusable';
    tree.set(entry.name, fs.readFileSync(file));
  }
  return tree;
}

export function writeTree(folder: string, tree: Tree): void {
  fs.mkdirSync(folder);
  for (const [name, content] of tree) fs.writeFileSync(path.join(folder, name), content);
}

export function isSameTree(a: Tree | string, b: Tree | string): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  return a.size === b.size && [...a].every(([name, content]) => b.get(name)?.equals(content));
}

/** Which file may make git run something when the work is continued; undefined where none does. */
export function dangerIn(tree: Tree): string | undefined {
  return [...tree].find(([name, content]) => !isHarmless(name, content.toString('latin1')))?.[0];
}

function isHarmless(name: string, text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  switch (name) {
    case 'git-rebase-todo':
    case 'git-rebase-todo.backup':
    case 'todo':
      return !lines.some((line) => /^\s*(?:x|exec)(?:\s|$)/.test(line));
    // The program `git-merge-NAME` is run for any other name.
    case 'strategy':
      return STRATEGIES.includes(text.trim());
    // Options of `git apply`, which can write a file anywhere.
    case 'apply-opt':
      return lines.length === 0;
    // Old versions of git give it to a shell.
    case 'author-script':
      return lines.every((line) => /^GIT_AUTHOR_(?:NAME|EMAIL|DATE)='(?:[^']|'\\''|'\\!')*'$/.test(line));
    case 'opts':
      return lines.every(isHarmlessOption);
    default:
      return true;
  }
}

const STRATEGIES = ['', 'octopus', 'ort', 'ours', 'recursive', 'resolve', 'subtree'];

/** A line of `sequencer/opts`, as git writes it. */
function isHarmlessOption(line: string): boolean {
  if (line.trim() === '[options]') return true;
  const [, name = '', value = ''] = /^\t([a-z-]+) = ([\w./@<>+-]*)$/.exec(line) ?? [];
  return name === 'strategy' ? STRATEGIES.includes(value) : OPTIONS.includes(name);
}

const OPTIONS = [
  'allow-empty',
  'allow-empty-message',
  'allow-ff',
  'allow-rerere-auto',
  'default-msg-cleanup',
  'drop-redundant-commits',
  'edit',
  'keep-redundant-commits',
  'mainline',
  'no-commit',
  'record-origin',
  'signoff',
  'strategy-option',
];

function isKnown(name: string): boolean {
  return NAMES.has(name) || /^\d{1,9}$/.test(name);
}

const NAMES = new Set(
  (
    'abort-safety allow_rerere_autoupdate amend apply-opt applying author-script autostash cdate_is_adate current-fixups ' +
    'dirtyindex done drop_redundant_commits editor-script end final-commit force-rebase git-rebase-todo ' +
    'git-rebase-todo.backup gpg_sign_opt head head-name ignore_date info interactive keep keep_redundant_commits last ' +
    'message message-fixup message-squash messageid mode msg msg-clean msgnum next no-reschedule-failed-exec ' +
    'no_inbody_headers onto opts orig-head original-commit patch patch-merge-index quiet quoted-cr rebasing ' +
    'reschedule-failed-exec rewritten rewritten-list rewritten-pending scissors sign signoff squash-onto stopped-sha ' +
    'strategy strategy_opts threeway todo update-refs utf8 verbose'
  ).split(' '),
);
