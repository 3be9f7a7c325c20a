import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { link, temporaryFolder, writeFiles } from '../../../test/support/temporary-folder.ts';
import { filesNamedByGit, parseGitConfig } from './git-config-file.ts';

test.each([
  ['[core]\n\thooksPath = h\n', [['core', 'hookspath', 'h']]],
  ['[core] hooksPath=h', [['core', 'hookspath', 'h']]],
  ['[include] path = a # comment\n', [['include', 'path', 'a']]],
  ['[includeIf "gitdir:~/x/"]\npath = "a b;c"\n', [['includeif', 'path', 'a b;c']]],
  ['[filter "x\\"]y"]\n clean = ./c', [['filter', 'clean', './c']]],
  ['[include]\r\n\tpath = a\\\r\nb\r\n', [['include', 'path', 'ab']]],
  ['[core.sub]\nEditor = "a\\tb" \\"c\\"  \n', [['core', 'editor', 'a\tb "c"'], ['core', 'editor', 'a b "c"']]], // prettier-ignore
  ['[core]\nhooksPath = my\thooks \r \n', [['core', 'hookspath', 'my\thooks'], ['core', 'hookspath', 'my hooks']]], // prettier-ignore
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

test.each([
  ['gpg.program', './my tools/gpg', 'my tools/gpg'],
  ['gpg.program', 'my tools/gpg --not-an-option', 'my tools/gpg --not-an-option'],
  ['core.askPass', "it's here/ask", "it's here/ask"],
  ['core.fsmonitor', String.raw`./my\ tools/fsm`, 'my tools/fsm'],
  ['core.fsmonitor', String.raw`./tools/my\-fsm`, 'tools/my-fsm'],
  ['filter.x.clean', './"my tools"/clean --flag', 'my tools/clean'],
  ['filter.x.clean', `sh -c './"my tools"/clean x'`, 'my tools/clean'],
  ['filter.x.clean', 'A=b "./my tools/clean"', 'my tools/clean'],
  ['filter.x.clean', 'sh "my tools/clean.sh"', 'my tools/clean.sh'],
  ['filter.x.clean', 'python3 -ut/x', 't/x'],
  ['filter.x.clean', 'node -r./t/x y', 't/x'],
  ['filter.x.clean', 'make -ft/x', 't/x'],
  ['filter.x.clean', 'make -sfrules', 'rules'],
  ['core.hooksPath', 'my hooks', 'my hooks'],
])('%s = %j names a file of the work tree', (key, value, file) => {
  const worktree = temporaryFolder({ [file]: '' });
  const [section = '', name = ''] = [key.split('.')[0], key.split('.').at(-1)?.toLowerCase()];
  const named = filesNamedByGit(worktree, path.join(worktree, '.git'), {
    home: worktree,
    files: [],
    settings: [{ section, name, value }],
  });
  expect(named.map((each) => path.relative(worktree, each))).toContain(file);
});

test.each([
  ['program', './my tools/gpg', ['my tools/gpg']],
  ['clean', String.raw`./my\ tools/clean -x`, ['my tools/clean']],
  ['clean', 'A=b ./tools/clean ./other', ['tools/clean']],
  ['clean', 'cat', []],
])('%s = %j names a program that is not there yet', (name, value, expected) => {
  const worktree = temporaryFolder();
  const git = path.join(worktree, '.git');
  const settings = [{ section: 'filter', name, value }];
  const named = filesNamedByGit(worktree, git, { home: worktree, files: [], settings });
  expect(
    named.map((each) => path.relative(worktree, each)).filter((each) => !each.startsWith('.git')),
  ).toEqual(expected);
});

test.each([
  ['[core]\n\thooksPath = \xff\xfehooks\n', 'is not UTF-8'],
  ['[core]\n\tfsmonitor = ./f\xe9.sh\n', 'is not UTF-8'],
  ['[include]\n\tpath = ../inc\xe9\n', 'is not UTF-8'],
  ['[user]\n\tname = Jos\xe9\n', 'allowed'],
])('what %j names is protected, or no program starts', (text, expected) => {
  const worktree = temporaryFolder({ 'f.sh': '' });
  writeFiles(worktree, { '.git/config': Buffer.from(text, 'latin1') });
  const look = () => {
    try {
      filesNamedByGit(worktree, path.join(worktree, '.git'), { home: worktree, files: [], settings: [] });
      return 'allowed';
    } catch (thrown) {
      return String(thrown);
    }
  };
  expect(look()).toContain(expected);
});

test.runIf(process.platform === 'linux')(
  'a hook that is a link to a name that is not UTF-8 is not overlooked',
  () => {
    const worktree = temporaryFolder({ '.git/hooks/README': '' });
    fs.symlinkSync(Buffer.from('../../f\xe9.sh', 'latin1'), path.join(worktree, '.git/hooks/pre-commit'));
    expect(() =>
      filesNamedByGit(worktree, path.join(worktree, '.git'), { home: worktree, files: [], settings: [] }),
    ).toThrow('is not UTF-8');
  },
);

test('relative paths start at the work tree that is configured, too', () => {
  const worktree = temporaryFolder({
    '.git/config': '[core]\n\tworktree = ../src\n\thooksPath = hooks\n\tfsmonitor = ./fsm.sh\n',
    'src/fsm.sh': '',
    'src/hooks/pre-commit': '',
  });
  const places = { home: temporaryFolder(), files: [], settings: [] };
  const named = filesNamedByGit(worktree, path.join(worktree, '.git'), places);
  for (const name of ['src/fsm.sh', 'src/hooks', 'src/hooks/pre-commit', 'hooks'])
    expect(named).toContain(path.join(worktree, name));
});

test('a configuration that is too large, or includes too much, confines nothing rather than protecting nothing', () => {
  const places = { home: temporaryFolder(), files: [], settings: [] };
  const large = temporaryFolder({ '.git/config': `[core]\n${'# x\n'.repeat(300_000)}hooksPath = h\n` });
  expect(() => filesNamedByGit(large, path.join(large, '.git'), places)).toThrow('is larger than');
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`${n}.cfg`, '']));
  const includes = Object.keys(many).map((name) => `[include] path = ../${name}\n`);
  const worktree = temporaryFolder({ '.git/config': includes.join(''), ...many });
  expect(() => filesNamedByGit(worktree, path.join(worktree, '.git'), places)).toThrow('includes more than');
});

test.each(['/dev/null', 'nowhere', 'a-file'])('hooks may be looked for where there are none: %s', (place) => {
  const worktree = temporaryFolder({ '.git/config': `[core] hooksPath = ${place}\n`, 'a-file': '' });
  const places = { home: temporaryFolder(), files: [], settings: [] };
  const named = filesNamedByGit(worktree, path.join(worktree, '.git'), places);
  expect(named).toContain(path.resolve(worktree, place));
});

test('a folder of hooks with too many files confines nothing', () => {
  const hooks = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`.git/hooks/${n}`, '']));
  const worktree = temporaryFolder({ '.git/config': '', ...hooks });
  const places = { home: temporaryFolder(), files: [], settings: [] };
  expect(() => filesNamedByGit(worktree, path.join(worktree, '.git'), places)).toThrow('more than 200 files');
});
