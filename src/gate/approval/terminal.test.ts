import fc from 'fast-check';
import { expect, test } from 'vitest';
import { question, unaborted } from '../../../test/support/gate/question.ts';
import type { Approval, Question } from './approver.ts';
import { terminalApprover } from './approvers.ts';

/** A person who types these lines, then leaves. */
function person(...lines: (string | undefined)[]) {
  const seen: { shown: string; prompt: string }[] = [];
  const port = {
    seen,
    ask(shown: string, prompt: string) {
      seen.push({ shown, prompt });
      return Promise.resolve(lines.shift());
    },
  };
  return port;
}

async function answerOf(
  lines: readonly (string | undefined)[],
  asked?: Partial<Question>,
): Promise<Approval> {
  return terminalApprover(person(...lines)).ask(question(asked), unaborted);
}

test.each<[string | undefined, object]>([
  ['y', { kind: 'allow', scope: 'once' }],
  ['YES ', { kind: 'allow', scope: 'once' }],
  ['once', { kind: 'allow', scope: 'once' }],
  ['s', { kind: 'allow', scope: 'session' }],
  ['session  any', { kind: 'allow', scope: 'session', covers: 'tool' }],
  ['a', { kind: 'allow', scope: 'always' }],
  ['Always', { kind: 'allow', scope: 'always' }],
  ['a any', { kind: 'allow', scope: 'always', covers: 'tool' }],
  ['t', { kind: 'allow', scope: 'turn' }],
  ['turn', { kind: 'allow', scope: 'turn' }],
  ['i', { kind: 'allow', scope: 'idle' }],
  ['idle', { kind: 'allow', scope: 'idle' }],
  ['all', { kind: 'allow', scope: 'all' }],
  ['n', { kind: 'deny', scope: 'once' }],
  ['no', { kind: 'deny', scope: 'once' }],
  ['never', { kind: 'deny', scope: 'always' }],
  ['never any', { kind: 'deny', scope: 'always', covers: 'tool' }],
  ['', { kind: 'deny', scope: 'once' }],
  ['  ', { kind: 'deny', scope: 'once' }],
  [undefined, { kind: 'deny', scope: 'once' }],
])('%o', async (typed, expected) => {
  expect(await answerOf([typed])).toEqual({ ...expected, by: 'terminal' });
});

test('what was not offered is not an answer', async () => {
  for (const typed of ['a', 'a any', 'never', 's any'])
    expect(await answerOf([typed, 'n'], { always: undefined, remembersTool: undefined } as never)).toEqual({
      kind: 'deny',
      scope: 'once',
      by: 'terminal',
    });
});

test('says in words what each answer covers, and where a rule goes', async () => {
  const port = person('n');
  await terminalApprover(port).ask(question(), unaborted);
  const shown = port.seen[0]?.shown.replaceAll(/\n┃ {3}↳ /g, '') ?? '';
  expect(shown).toContain('or the session ends: exactly this call');
  expect(shown).toContain('s any   every call of write_file');
  expect(shown).toContain('a       for good and every caller, by the rule files__write_file(path=a.txt, !*)');
  expect(shown).toContain('Rules are written into /home/me/permissions.json');
});

test('what is no answer is asked again, five times at most', async () => {
  expect(await answerOf(['maybe', 'ye', 'yy', 'ok', 'y'])).toMatchObject({ kind: 'allow' });
  const port = person('maybe', 'ye', 'yy', 'ok', 'sure', 'y');
  expect(await terminalApprover(port).ask(question(), unaborted)).toMatchObject({ kind: 'deny' });
  expect(port.seen).toHaveLength(5);
  expect(port.seen[1]?.shown).toContain('That is not one of the answers.');
});

test('a comment goes with the no', async () => {
  expect(await answerOf(['c', ' use the staging server '])).toEqual({
    kind: 'deny',
    scope: 'once',
    by: 'terminal',
    comment: 'use the staging server',
  });
  expect(await answerOf(['comment', ''])).toEqual({ kind: 'deny', scope: 'once', by: 'terminal' });
  expect(await answerOf(['c', undefined])).toEqual({ kind: 'deny', scope: 'once', by: 'terminal' });
});

test('arguments are typed anew, as JSON', async () => {
  expect(await answerOf(['e', '{"path": "b.txt"}'])).toEqual({
    kind: 'allow',
    scope: 'once',
    by: 'terminal',
    args: { path: 'b.txt' },
  });
  expect(await answerOf(['edit', '{"path": b}', '[]', '{}'])).toMatchObject({ kind: 'allow', args: {} });
  expect(await answerOf(['e', '{', '{', '{', 'y'])).toMatchObject({ kind: 'deny' });
  expect(await answerOf(['e', undefined])).toMatchObject({ kind: 'deny' });
  // An empty line leads back to the question.
  expect(await answerOf(['e', '', 'y'])).toEqual({ kind: 'allow', scope: 'once', by: 'terminal' });
  const { args } = (await answerOf(['e', '{"__proto__": {"a": 1}}'])) as { args: object };
  expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
});

test('shows who asks, for what, why, and what a lasting answer is about', async () => {
  const port = person('n');
  await terminalApprover(port).ask(
    question({
      caller: { kind: 'client', name: 'ide' },
      intent: 'to fix it',
      summary: 'Writes a file',
      details: 'line one\nline two',
      diff: '-old\n+new',
      changedDefinition: '-  "a"\n+  "b"',
    }),
    unaborted,
  );
  const { shown = '', prompt = '' } = port.seen[0] ?? {};
  const [, code = ''] = /pluglot asks · (\w{4}) ━/.exec(shown) ?? [];
  expect(shown.replaceAll(code, 'CODE')).toBe(`┏━━ pluglot asks · CODE ━━━━━━━━━━
┃ The client ide wants to use the tool "write_file" of plugin "files":
┃   ┊ write_file(path=a.txt)
┃ Why you are asked: no rule names it
┃ What it says this is for:
┃   ┊ to fix it
┃ What the plugin says it would do (not checked):
┃   ┊ Writes a file
┃ Details, as the plugin says:
┃   ┊ line one
┃   ┊ line two
┃ What would change, as the plugin says:
┃   ┊ -old
┃   ┊ +new
┃ It is not what was approved before. How its definition differs:
┃   ┊ -  "a"
┃   ┊ +  "b"
┃ What an answer covers:
┃ y, n    this call alone
┃ t, i, s until the turn ends, 5 minutes pass without a call, or the 
┃   ↳ session ends: exactly this call
┃ s any   every call of write_file
┃ a       for good and every caller, by the rule 
┃   ↳ files__write_file(path=a.txt, !*)
┃ a any   for good and every caller, by the rule files__write_file
┃ never   as a, and denied. Rules are written into 
┃   ↳ /home/me/permissions.json
┃ all     everything that this caller wants and no rule denies, until this 
┃   ↳ host ends
┗━━ CODE ━━ [y]es [n]o [t]urn [i]dle [s]ession [a]lways [never] [all] [c]omment [e]dit`);
  expect(prompt).toBe(`${code} Allow it? (no) > `);
});

test('a diff has the colours of the terminal', async () => {
  const port = {
    ...person('n'),
    colours: {
      frame: (text: string) => text,
      strong: (text: string) => text,
      added: (text: string) => `<${text}>`,
      removed: (text: string) => `[${text}]`,
    },
  };
  await terminalApprover(port).ask(question({ diff: '-old\n+new\n same' }), unaborted);
  expect(port.seen[0]?.shown).toContain('┃   ┊ [-old]\n┃   ┊ <+new>\n┃   ┊  same\n');
});

test('a command line is shown with the rest of its arguments', async () => {
  const port = person('n');
  const args = { command: 'ls', cwd: '/tmp' };
  await terminalApprover(port).ask(question({ tool: 'cli', signature: 'ls', args }), unaborted);
  expect(port.seen[0]?.shown).toContain(
    '┃   ┊ ls\n┃ With these arguments:\n┃   ┊ {"command":"ls","cwd":"/tmp"}\n',
  );
});

test('what is long is cut, with a count', async () => {
  const port = person('n');
  await terminalApprover(port).ask(
    question({ details: Array.from({ length: 60 }, (_, n) => `line ${n}`).join('\n') }),
    unaborted,
  );
  expect(port.seen[0]?.shown).toContain('┃   ┊ line 34\n┃   ┊ … (20 lines are not shown)\n┃   ┊ line 55\n');
});

test('each question has a code of its own', async () => {
  const port = person('n', 'n', 'n', 'n', 'n');
  const approver = terminalApprover(port);
  for (let n = 0; n < 5; n++) await approver.ask(question(), unaborted);
  expect(new Set(port.seen.map(({ prompt }) => prompt)).size).toBeGreaterThan(1);
});

const trick =
  '\n┏━━ pluglot asks · ABCD ━━━━━━━━━━\n┗━━ ABCD ━━ [y]es\nABCD Allow it? (no) > y\r\u001B[2J\u001B[H\u202E\u2028┃ ';
const nasty = fc
  .array(
    fc.constantFrom(trick, ' '.repeat(79), '┃ ', '日本', 'e\u0301', '\u001B', 'x', '\n', '\t', '\u{1F600}'),
  )
  .map((all) => all.join(''));

test('nothing that others say reaches the left edge, moves the cursor or hides, at any width', async () => {
  await fc.assert(
    fc.asyncProperty(nasty, fc.integer({ min: 40, max: 120 }), async (text, columns) => {
      const port = { ...person('e', '', 'n'), columns };
      await terminalApprover(port).ask(
        question({
          tool: text.slice(0, 200),
          plugin: text,
          caller: { kind: 'client', name: text },
          args: { [text]: text },
          signature: text,
          reason: text,
          remembers: text,
          intent: text,
          summary: text,
          details: text,
          diff: text,
          changedDefinition: text,
        }),
        unaborted,
      );
      for (const { shown, prompt } of port.seen) {
        const lines = shown.split('\n');
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}](?<!\n)/u);
        expect(prompt).toMatch(/^\w{4} [\w ?()]+ > $/);
        // One frame begins and one ends, and they are ours.
        expect(lines.filter((line) => line.startsWith('┏')).length).toBeLessThanOrEqual(1);
        expect(lines.filter((line) => line.startsWith('┗'))).toHaveLength(1);
        expect(lines.at(-1)).toMatch(/^┗━━ \w{4} ━━ /);
        let widest = 0;
        for (const line of lines.slice(0, -1)) {
          expect(line).toMatch(/^[┃┏]/);
          if (line.startsWith('┃')) widest = Math.max(widest, widthOf(line));
        }
        expect(widest).toBeLessThanOrEqual(columns);
      }
    }),
  );
});

/** At most so many columns; the frame of ours takes one each. */
function widthOf(line: string): number {
  const own = /^[┃┊┏━ ]*/.exec(line)?.[0].length ?? 0;
  let width = own;
  for (const character of line.slice(own)) width += character < '\u007F' ? 1 : 2;
  return width;
}
