import { describe, expect, test } from 'vitest';
import { readCommandLine } from './command-line.ts';

describe('without shell syntax', () => {
  test.for<[command: string, args: string[], words: string[]]>([
    ['git status', [], ['git', 'status']],
    ['  git   status \n', [], ['git', 'status']],
    ['git log HEAD~1 a^ b', [], ['git', 'log', 'HEAD~1', 'a^', 'b']],
    [`echo 'a b' "c d" e\\ f`, [], ['echo', 'a b', 'c d', 'e f']],
    [`r''m \\-x`, [], ['rm', '-x']],
    ['echo ""', [''], ['echo', '', '']],
    ['git commit -m', ['it; rm -rf / $(x) `y` "z"'], ['git', 'commit', '-m', 'it; rm -rf / $(x) `y` "z"']],
    ['find . -name x -exec cat {}', [';'], ['find', '.', '-name', 'x', '-exec', 'cat', '{}', ';']],
    ['git com\\\nmit', [], ['git', 'commit']],
    ['echo "a\\"b\\n"', [], ['echo', 'a"b\\n']],
    ['git commit -m "Füße, 日本語 ✅ ❤️ 👩‍👩‍👧"', [], ['git', 'commit', '-m', 'Füße, 日本語 ✅ ❤️ 👩‍👩‍👧']],
    ['echo a#b', [], ['echo', 'a#b']],
    ['echo = x=y', [], ['echo', '=', 'x=y']],
  ])('%s %j is words', async ([command, args, words]) => {
    expect(await readCommandLine(command, args)).toEqual({ kind: 'argv', words });
  });
});

describe('with shell syntax', () => {
  test.for<[command: string, args: string[], script: string, shell: 'sh' | 'bash']>([
    ['git log | head', [], 'git log | head', 'sh'],
    ['git log | head', ['-5', "it's"], `git log | head '-5' 'it'\\''s'`, 'sh'],
    ['ls *.ts', [], 'ls *.ts', 'sh'],
    ['ls ~/x', [], 'ls ~/x', 'sh'],
    ['echo a=~/x', [], 'echo a=~/x', 'sh'],
    ['echo $HOME', [], 'echo $HOME', 'sh'],
    ['cd src', [], 'cd src', 'sh'],
    ['A=1 git status', [], 'A=1 git status', 'sh'],
    ['A="1" git status', [], 'A="1" git status', 'sh'],
    ['echo {a,b}', [], 'echo {a,b}', 'bash'],
    ['((rm))', [], '((rm))', 'bash'],
    [`echo $'a\\'; rm; echo '`, [], `echo $'a\\'; rm; echo '`, 'bash'],
    ['git status &> x', [], 'git status &> x', 'bash'],
    ['git status >& x', [], 'git status >& x', 'bash'],
    ['git status >&2', [], 'git status >&2', 'sh'],
    ['time git status', [], 'time git status', 'bash'],
    ['git status # done', [], 'git status # done', 'sh'],
  ])('%s %j needs a shell', async ([command, args, script, shell]) => {
    expect(await readCommandLine(command, args)).toEqual({ kind: 'shell', script, shell });
  });
});

describe('not to be read', () => {
  test.for<[command: string, args: string[]]>([
    ['', []],
    ['  \n', []],
    [`''`, []],
    [`"" x`, []],
    ['git status;', ['rm']],
    ['git status #', ['rm']],
    ['git status |', ['rm']],
    ['cat <<E\nx\nE', ['rm']],
    ['> x', ['rm']],
    ['A=1', ['rm']],
    ['git "status', []],
    ['git status | ', []],
    ['git status )', []],
    ['if git status', []],
    ['git status\r\nrm x', []],
    ['git\u00a0status', []],
    ['git status\u0000', []],
    ['git', ['a\u0000b']],
    ['git \u202estatus', []],
    ['git \u{e0041}', []],
    ['git \u3164', []],
    ['git \ud800', []],
    ['x'.repeat(70_000), []],
    ['x', ['y'.repeat(70_000)]],
    ['('.repeat(60_000), []],
    ['$('.repeat(30_000), []],
    ['{ '.repeat(30_000), []],
    [`echo ${'{a,'.repeat(20_000)}`, []],
  ])('%s %j', async ([command, args]) => {
    const line = await readCommandLine(command, args);
    expect(line.kind).toBe('unreadable');
    expect(line.kind === 'unreadable' && line.reason).toMatch(/^its? /);
  });

  test('args after a line that has ended belong to it', async () => {
    expect(await readCommandLine('git status\n', ['-s'])).toEqual({
      kind: 'argv',
      words: ['git', 'status', '-s'],
    });
  });
});
