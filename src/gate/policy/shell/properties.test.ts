// Random shells around a forbidden command, and random text: nothing of it passes, nothing of it throws.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOf, verdictOn } from '../../../../test/support/gate/policy.ts';
import { runs } from '../../../../test/support/runs.ts';

/** For the whole number of runs, on a busy machine. */
const FULL_MS = 300_000;

/** Each runs what stands in the place of the percent sign. */
const contexts = [
  'git status && %',
  'git status; %',
  '% | git log',
  'git log | %',
  'git status\n%',
  '(%)',
  '{ %; }',
  'git log $(%)',
  'git log "$(%)"',
  'echo ${x:-$(%)}',
  'echo $((1 + $(%)))',
  'x=$(%)',
  'git log <<EOF\n$(%)\nEOF',
  'git log <(%)',
  'git log <<< "$(%)"',
  'if git status; then %; fi',
  'if %; then git status; fi',
  'while git status; do %; done',
  'for x in a; do %; done',
  'case x in x) %;; esac',
  '! %',
  'time %',
  'git status & %',
  '% 2>&1',
  '% > /dev/null',
  'coproc %',
] as const;

/** Each runs the words that follow it. */
const wrappers = [
  'env',
  'env A=b',
  'nice -n 5',
  'timeout 5',
  'sudo -u x',
  'command',
  'nohup',
  'xargs',
  'exec',
] as const;

const forbidden = fc.constantFrom(
  'rm -rf /',
  '/bin/rm x',
  "r''m x",
  '\\rm x',
  'curl x',
  '"rm" x',
  "$'rm' x",
  'gitevil',
  './git x',
  '$x',
  'rm',
  'git -c a=b log',
  'echo `rm x`',
  'git log > x',
);

const surrounded = (command: fc.Arbitrary<string>) =>
  fc
    .tuple(
      command,
      fc.array(fc.constantFrom(...wrappers), { maxLength: 2 }),
      fc.array(fc.constantFrom(...contexts), { maxLength: 3 }),
    )
    .map(([inner, outer, shells]) =>
      shells.reduce((text: string, context) => context.replace('%', () => text), [...outer, inner].join(' ')),
    );

/** The one of them that is plain words of git, joined to others. */
function isPlainGit(command: string): boolean {
  const parts = command.split(/ && |; | \| |\n/);
  return parts.every((part) => /^git (?:-c a=b )?(?:log|status)$/.test(part));
}

test(
  'whatever stands around it, what no rule names does not run outside of the sandbox',
  async () => {
    const property = fc.asyncProperty(surrounded(forbidden), async (command) => {
      const end = endOf(await verdictOn({ allow: ['git *', 'echo *'] }, command));
      expect([command, end]).toEqual([command, isPlainGit(command) ? 'confined' : 'asked']);
    });
    await fc.assert(property, { numRuns: runs(5000, 150) });
  },
  FULL_MS,
);

test(
  'whatever stands around it, what a rule forbids is not allowed',
  async () => {
    const property = fc.asyncProperty(surrounded(fc.constant('rm x')), async (command) => {
      const { kind } = await verdictOn({ allow: ['git *', 'echo *'], forbid: ['rm *'] }, command);
      expect([command, kind === 'allow']).toEqual([command, false]);
    });
    await fc.assert(property, { numRuns: runs(2000, 80) });
  },
  FULL_MS,
);

test(
  'no text throws, and none passes a rule for another command',
  async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc
        .array(
          fc.constantFrom(
            ...'rm git $ ( ) { } [ ] ` " \' \\ ; | & < > # = ! * ? ~ - x'.split(' '),
            ' ',
            '\n',
            '\t',
          ),
        )
        .map((parts) => parts.join('')),
    );
    const property = fc.asyncProperty(text, fc.array(text, { maxLength: 2 }), async (command, args) => {
      const { kind } = await verdictOn({ allow: ['nobody *'] }, command, args);
      expect([command, args, kind]).toEqual([command, args, 'ask']);
    });
    await fc.assert(property, { numRuns: runs(10_000, 200) });
  },
  FULL_MS,
);

const pieces =
  "( $( { \"$( (( ${x:- ` [[ if $(( <( ! a| a[$( <<a {a, $' \\ a; case sh -c' eval env x= - * a >a '.. >[ $() \"* $[".split(
    ' ',
  );

test.for(pieces.flatMap((piece) => [piece, `${piece} `]))(
  'thousands of %s do not take it down',
  async (piece) => {
    for (const size of [100_000, Math.floor(runs(60_000, 12_000) / piece.length), 900]) {
      const { kind } = await verdictOn({ allow: ['a * b *'] }, `git ${piece.repeat(size)}`);
      expect(kind).toBe('ask');
    }
  },
);
