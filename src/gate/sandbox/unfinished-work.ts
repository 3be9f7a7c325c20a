// What git keeps of a rebase, merge or cherry-pick that waits for the user. Some of it makes `--continue` run a program, or write a file,
// outside of the sandbox: only what is known to be data is taken over.
import type { Folder } from '../../fleet/trust/folder.ts';

export const UNFINISHED = ['rebase-merge', 'rebase-apply', 'sequencer'];

/** The files of a folder by their names; git uses no folders in it. */
export type Tree = ReadonlyMap<string, Buffer>;

const FILES_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;

/** 'absent' where there is no folder; 'unusable' where it holds more than is read, or a name that git does not use there. */
export function readTree(above: Folder, name: string): Tree | 'absent' | 'unusable' {
  return above.inside(name, filesIn) ?? 'absent';
}

function filesIn(folder: Folder): Tree | 'unusable' {
  const tree = new Map<string, Buffer>();
  let bytes = 0;
  for (const { name: raw, kind } of folder.entries()) {
    const name = String(raw);
    if (kind !== 'file' || tree.size >= FILES_MAX || !isKnown(name)) return 'unusable';
    const found = folder.read(name, BYTES_MAX - bytes);
    if (typeof found !== 'object') return 'unusable';
    bytes += found.bytes.length;
    tree.set(name, found.bytes);
  }
  return tree;
}

export function writeTree(above: Folder, name: string, tree: Tree): void {
  above.make(name);
  above.inside(name, (folder) => {
    for (const [file, content] of tree) folder.write(file, content);
  });
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
