import path from 'node:path';
import { expect, test } from 'vitest';
import { link, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { filesNamedByGit, parseGitConfig } from './git-config-file.ts';

test.each([
  ['[core]\n\thooksPath = h\n', [['core', 'hookspath', 'h']]],
  ['[core] hooksPath=h', [['core', 'hookspath', 'h']]],
  ['[include] path = a # comment\n', [['include', 'path', 'a']]],
  ['[includeIf "gitdir:~/x/"]\npath = "a b;c"\n', [['includeif', 'path', 'a b;c']]],
  ['[filter "x\\"]y"]\n clean = ./c', [['filter', 'clean', './c']]],
  ['[include]\r\n\tpath = a\\\r\nb\r\n', [['include', 'path', 'ab']]],
  ['[core.sub]\nEditor = "a\\tb" \\"c\\"  \n', [['core', 'editor', 'a\tb "c"']]],
  ['\uFEFF[a]\nflag\n; x = y\n# z = y\nb = "  "', [['a', 'flag', 'true'], ['a', 'b', '  ']]], // prettier-ignore
  ['[broken\n[core]\n= x\nhooksPath = h', [['core', 'hookspath', 'h']]],
])('%j', (text, expected) => {
  expect(parseGitConfig(text).map(({ section, name, value }) => [section, name, value])).toEqual(expected);
});

test('finds what is included by what is included, hooks, and programs of the work tree', () => {
  const home = temporaryFolder({
    '.gitconfig': '[core]\n\thooksPath = global-hooks\n[include] path = ~/more\n',
    more: '[filter "f"]\n\tclean = node ./tools/clean.mjs --flag\n\tsmudge = cat\n[diff "d"]\n\ttextconv = \\"$PWD/conv é.sh\\"\n[alias]\n\tx = !scripts/x\n\ty = log --format=%h/%s\n',
  });
  const worktree = temporaryFolder({
    '.git/config': '[include] path = ../one.cfg\n[core]\n\tfsmonitor = true\n',
    'one.cfg': '[include]\n\tpath = two.cfg\n[include]\n\tpath = one.cfg\n',
    'two.cfg': '[core] hooksPath=own-hooks\n',
    'tools/clean.mjs': '',
    'edit.mjs': '',
    'conv é.sh': '',
    'real-hooks/pre-commit': '',
    '.git/hooks/post-commit': link('../../real-hooks/pre-commit'),
  });
  const named = filesNamedByGit(worktree, path.join(worktree, '.git'), {
    home,
    files: [path.join(home, '.gitconfig')],
    settings: [{ section: 'core', name: 'editor', value: 'node edit.mjs' }],
  });
  const inWorktree = named
    .filter((file) => file.startsWith(worktree) && !file.startsWith(path.join(worktree, '.git')))
    .map((file) => path.relative(worktree, file));
  expect(inWorktree.toSorted()).toEqual([
    'conv é.sh',
    'edit.mjs',
    'global-hooks',
    'one.cfg',
    'own-hooks',
    'real-hooks/pre-commit',
    'tools/clean.mjs',
    'two.cfg',
  ]);
});

test('a linked work tree has the configuration of its repository', () => {
  const main = temporaryFolder({
    '.git/config': '[core] hooksPath = h\n',
    '.git/worktrees/w/commondir': '../..\n',
    '.git/worktrees/w/config.worktree': '[include] path = /elsewhere\n',
  });
  const worktree = temporaryFolder({ '.git': `gitdir: ${main}/.git/worktrees/w\n` });
  const named = filesNamedByGit(worktree, path.join(worktree, '.git'), {
    home: main,
    files: [],
    settings: [],
  });
  expect(named.filter((file) => !file.startsWith(main)).toSorted()).toEqual(
    ['/elsewhere', path.join(worktree, 'h')].toSorted(),
  );
});
