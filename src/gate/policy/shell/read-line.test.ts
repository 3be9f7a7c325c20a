import { describe, expect, test } from 'vitest';
import { readLine } from './read-line.ts';

type Words = readonly string[];

describe('literal words', () => {
  test.for<[command: string, args: string[], words: Words]>([
    ['git status', [], ['git', 'status']],
    ['  git   status \n', [], ['git', 'status']],
    ['\n\tgit status', [], ['git', 'status']],
    ['git log HEAD~1 a^ b', [], ['git', 'log', 'HEAD~1', 'a^', 'b']],
    [`echo 'a b' "c d" e\\ f`, [], ['echo', 'a b', 'c d', 'e f']],
    [`r''m \\-x`, [], ['rm', '-x']],
    ['echo ""', [''], ['echo', '', '']],
    ['git commit -m', ['it; rm -rf / $(x) `y` "z"'], ['git', 'commit', '-m', 'it; rm -rf / $(x) `y` "z"']],
    ['find . -name x -exec cat {}', [';'], ['find', '.', '-name', 'x', '-exec', 'cat', '{}', ';']],
    ['find . -name \\*.ts', [], ['find', '.', '-name', '*.ts']],
    ["find . -name '*.ts' -exec wc {} \\;", [], ['find', '.', '-name', '*.ts', '-exec', 'wc', '{}', ';']],
    ['git commit -m "Füße, 日本語 ✅ ❤️ 👩‍👩‍👧"', [], ['git', 'commit', '-m', 'Füße, 日本語 ✅ ❤️ 👩‍👩‍👧']],
    ['echo Füße 日本語', [], ['echo', 'Füße', '日本語']],
    ['echo a#b', [], ['echo', 'a#b']],
    ['echo = x=y --z=1', [], ['echo', '=', 'x=y', '--z=1']],
    ["git commit -m 'one\n\ntwo'", [], ['git', 'commit', '-m', 'one\n\ntwo']],
    ['git status\n', ['-s'], ['git', 'status', '-s']],
    ["'my program' x", [], ['my program', 'x']],
  ])('%s %j', ([command, args, words]) => {
    expect(readLine(command, args)).toEqual({ kind: 'literal', steps: [{ after: ';', pipeline: [words] }] });
  });

  test.for<[command: string, steps: readonly (readonly [after: string, pipeline: readonly Words[]])[]]>([
    ['a | b | c d', [[';', [['a'], ['b'], ['c', 'd']]]]],
    [
      'a&&b||c;d',
      [
        [';', [['a']]],
        ['&&', [['b']]],
        ['||', [['c']]],
        [';', [['d']]],
      ],
    ],
    [
      'a;\n\nb\nc ;',
      [
        [';', [['a']]],
        [';', [['b']]],
        [';', [['c']]],
      ],
    ],
    [
      'a &&\n b |\n\n c',
      [
        [';', [['a']]],
        ['&&', [['b'], ['c']]],
      ],
    ],
    ['a \'&&\' \\; "|"', [[';', [['a', '&&', ';', '|']]]]],
  ])('%s', ([command, steps]) => {
    expect(readLine(command)).toEqual({
      kind: 'literal',
      steps: steps.map(([after, pipeline]) => ({ after, pipeline })),
    });
  });

  test('args belong to the last command', () => {
    expect(readLine('a | b', ['$x', '&&'])).toMatchObject({
      steps: [{ pipeline: [['a'], ['b', '$x', '&&']] }],
    });
  });
});

describe('everything else is not literal, and says why', () => {
  test.for<[command: string, reason: RegExp]>([
    ['', /names no command/],
    ['  \n', /names no command/],
    [`''`, /names no command/],
    ['a $x', /an expansion \(\$\)/],
    ['a "$x"', /double quotes with/],
    ['a "x!"', /double quotes with/],
    ['a "\\""', /double quotes with/],
    ["a 'x", /an open quote/],
    ['a "x', /an open quote/],
    ['a `x`', /a command substitution/],
    ['a *', /a pattern of file names/],
    ['a x?', /a pattern of file names/],
    ['[ -f x ]', /a pattern of file names/],
    ['a {x,y}', /a brace/],
    ['a {x},y}', /a brace/],
    ['a {}x', /a brace/],
    ['a x{}', /a brace/],
    ['{} a', /a brace/],
    ['a > x', /a redirection/],
    ['a <<< x', /a redirection/],
    ['a <(b)', /a redirection/],
    ['(a)', /a parenthesis/],
    ['a() b', /a parenthesis/],
    ['a & b', /a background command/],
    ['a &', /a background command/],
    ['a |& b', /a background command/],
    ['a ~', /a home folder/],
    ['a ~/x', /a home folder/],
    ['a --x=~', /a home folder/],
    ['a x:~/y', /a home folder/],
    ['a # b', /a comment/],
    ['# b', /a comment/],
    ['! a', /a negation/],
    ['a !!', /a negation/],
    ['a \\', /a backslash/],
    ['a \\\nb', /a backslash/],
    ['a ;; b', /no command before ";"/],
    ['a && && b', /no command before "&&"/],
    ['; a', /no command before ";"/],
    ['a\n&& b', /no command before "&&"/],
    ['a &&', /no command at its end/],
    ['a |', /no command at its end/],
    ['A=b', /sets a variable/],
    ['A=b c', /sets a variable/],
    ['A+=b c', /sets a variable/],
    ['A"=b" c', /sets a variable/],
    ['if a', /control flow/],
    ["'if' a", /control flow/],
    ['a; time b', /control flow/],
    ['cd x', /the shell itself \(cd\)/],
    ['a && exec b', /the shell itself \(exec\)/],
    ["a | 'eval' b", /the shell itself \(eval\)/],
    ['. ./x', /the shell itself/],
    ['%1', /the shell itself/],
    ['a\r\nb', /U\+000D/],
    ['a\u00a0b', /U\+00A0/],
    ['a\u0000', /U\+0000/],
    ['a \u202eb', /U\+202E/],
    ['a \ud800', /U\+D800/],
    ['a \u037e b', /a sign with a meaning/],
    ['a \uff1b b', /a sign with a meaning/],
    [`a ${'x'.repeat(70_000)}`, /longer than/],
    ['a;'.repeat(200), /more than 100 commands/],
    ['a|'.repeat(200) + 'a', /more than 100 commands/],
  ])('%j', ([command, reason]) => {
    const reading = readLine(command);
    expect(reading.kind === 'other' && reading.reason).toMatch(reason);
  });

  test.for<[command: string, args: string[]]>([
    ['git status;', ['rm']],
    ['git status #', ['rm']],
    ['git status |', ['rm']],
    ['git status &&', ['rm']],
    ['A=1', ['rm']],
    ['', ['rm']],
    ['a', ['b\u0000c']],
    ['a', ['x'.repeat(70_000)]],
  ])('%j %j', ([command, args]) => {
    expect(readLine(command, args).kind).toBe('other');
  });
});

test('blanks without number are read in linear time', () => {
  const started = process.cpuUsage();
  expect(readLine(`${' '.repeat(60_000)}x`).kind).toBe('literal');
  // Quadratic work takes several seconds.
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
});
