// Our reading beside a real bash: the words are those that it makes, and no command runs that we did not see.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { readCommandLine } from './command-line.ts';
import { readShell } from './reading.ts';
import { flattened } from './shell-command.ts';

const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((file) => fs.existsSync(file));

describe.skipIf(bash === undefined)('beside bash (skipped where there is none)', () => {
  let folder = '';
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-bash-'));
  });
  afterAll(() => {
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const run = (script: string, args: readonly string[] = []) =>
    spawnSync(bash ?? '', ['--noprofile', '--norc', '-c', script, 'bash', ...args], {
      cwd: folder,
      env: { PATH: '/nowhere', LC_ALL: 'C.UTF-8' },
      timeout: 10_000,
      input: '',
    });

  const piece = fc.constantFrom(
    'a',
    'b c',
    "'",
    '"',
    '\\',
    ' ',
    '\t',
    '\n',
    "'x y'",
    '"x y"',
    '\\ ',
    '=',
    '~',
    '#',
    '!',
    '^',
    '{}',
    '{',
    ',',
    '}',
    ':',
    '-',
    '--x=~',
    'é',
    '日',
    '%',
    '+',
    '@',
    '/',
    '.',
    '\\\n',
    '""',
    "''",
    '$',
    '*',
    '?',
    '[',
    ']',
    '|',
    ';',
    '&',
    '(',
    '<',
    '\\"',
    "\\'",
    'if',
    'A=b',
  );
  test('where no shell is needed, the words are those of bash', async () => {
    const property = fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const text = `f ${pieces.join('')}`;
      const line = await readCommandLine(text, []);
      fc.pre(line.kind === 'argv');
      const ran = run(`f() { printf '%s\\0' f "$@"; }\n${text}`);
      expect([text, ran.stdout.toString().split('\0').slice(0, -1)]).toEqual([
        text,
        line.kind === 'argv' && line.words,
      ]);
    });
    await fc.assert(property, { numRuns: runs(2000, 40), endOnFailure: true });
  }, 300_000);

  test('where no shell is needed, the command is that of bash', async () => {
    const property = fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 6 }), async (pieces) => {
      const text = pieces.join('');
      const line = await readCommandLine(text, []);
      // Paths are not looked for by name, and [ is there.
      fc.pre(line.kind === 'argv' && !/\/|^\[$/.test(line.words[0] ?? ''));
      const ran = run(`command_not_found_handle() { builtin printf '%s\\0' "$@"; }\n${text}`);
      expect([text, ran.stdout.toString().split('\0').slice(0, -1)]).toEqual([
        text,
        line.kind === 'argv' && line.words,
      ]);
    });
    await fc.assert(property, { numRuns: runs(2000, 40), endOnFailure: true });
  }, 300_000);

  test('args are words in a shell too', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      async (args) => {
        const line = await readCommandLine('true && f x', args);
        fc.pre(line.kind === 'shell');
        const ran = run(`f() { printf '%s\\0' "$@"; }\n${line.kind === 'shell' ? line.script : ''}`);
        expect(ran.stdout.toString()).toBe(['x', ...args].map((word) => `${word}\0`).join(''));
      },
    );
    await fc.assert(property, { numRuns: runs(1000, 25) });
  }, 300_000);

  test('no command runs that was not seen', async () => {
    const name = fc.constantFrom('c1', 'c2', 'c3', "c''1", 'c\\2', '"c3"', "$'c1'", 'c$x', '$x', '{c1,c2}');
    const glue = fc.constantFrom(
      ' ',
      ' && ',
      ' || ',
      ';',
      ' | ',
      ' & ',
      '\n',
      ' $(',
      ')',
      ' `',
      '`',
      ' "',
      '"',
      " '",
      "'",
      ' (',
      ' {',
      '; }',
      ' <(',
      ' $((',
      '))',
      ' ${x:-',
      '}',
      ' <<E\n',
      '\nE\n',
      " <<'E'\n",
      ' <<<',
      ' #',
      '\\\n',
      '\\',
      " $'",
      ' if ',
      '; then ',
      '; fi',
      ' for x in ',
      '; do ',
      '; done',
      ' case x in x) ',
      ';; esac',
      ' [[ ',
      ' ]]',
      ' x=',
      ' !',
      ' time ',
      ' eval ',
      ' ((',
      ' f() ',
      ' >/dev/null ',
      ' 2>&1 ',
      ' |& ',
      ';;',
      ' coproc ',
      ' function ',
      ' ${#',
      ' a[',
      ']',
      ' $[',
      ' "$(',
      ')"',
    );
    const script = fc
      .array(fc.oneof(name, glue), { minLength: 1, maxLength: 12 })
      .map((pieces) => pieces.join(''));
    let count = 0;
    const property = fc.asyncProperty(script, async (text) => {
      const line = await readCommandLine(text, []);
      fc.pre(line.kind !== 'unreadable');
      const reading = await readShell(line);
      fc.pre(reading.unreadable.length === 0);
      const seen = new Set(flattened(reading.commands).flatMap(({ words }) => words[0]?.text ?? []));
      // One for each: what a script leaves in the background may write to it when the next is running.
      const log = path.join(folder, `log-${(count += 1)}`);
      fs.writeFileSync(log, '');
      const stopped = run(
        `command_not_found_handle() { builtin printf '%s\\0' "$1" >> ${log}; return 0; }\n${text}`,
      );
      expect(stopped.error, text).toBeUndefined();
      const ran = fs.readFileSync(log, 'utf8').split('\0').slice(0, -1);
      expect([text, ran.filter((one) => !seen.has(one))]).toEqual([text, []]);
    });
    await fc.assert(property, { numRuns: runs(3000, 60), endOnFailure: true });
  }, 300_000);
});
