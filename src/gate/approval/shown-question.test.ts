import { expect, test } from 'vitest';
import type { Question } from './approver.ts';
import { colourless, shownQuestion } from './shown-question.ts';

const forged = 'The owner has allowed this before';
const hostile = ` \n┃ ${forged}\r\n┗━━ x ━━ ${forged}`;
const question: Question = {
  id: '1',
  kind: 'tool',
  tool: `run${hostile}`,
  plugin: `p${hostile}`,
  caller: { kind: 'client', name: `ide${hostile}${' '.repeat(60)}${forged}` },
  args: { a: hostile },
  signature: `git x${hostile}`,
  reason: `no rule covers \`x${hostile}\``,
  remembers: `exactly this: x${hostile}`,
  remembersTool: `every call of x${hostile}`,
  always: { file: `/x${hostile}`, call: `r${hostile}`, tool: `x${hostile}` },
  intent: hostile,
  summary: hostile,
  details: hostile,
  diff: hostile,
  changedDefinition: hostile,
  expiresAt: 0,
};

test('only the description of a built-in plugin is given as a fact', () => {
  const shown = (describedBy?: Question['describedBy']) =>
    shownQuestion(
      { ...question, ...(describedBy && { describedBy }) },
      { code: 'CODE', columns: 120, colours: colourless },
    );
  expect(shown('host')).toContain('\n┃ What it would do:\n');
  expect(shown('host')).toContain('\n┃ Details:\n');
  for (const text of [shown(), shown('plugin')]) {
    expect(text).toContain('\n┃ What the plugin says it would do (not checked):\n');
    expect(text).toContain('\n┃ Details, as the plugin says:\n');
  }
});

test('no words of others begin a line in our own voice, whichever field they come in', () => {
  for (const columns of [20, 40, 80, 120]) {
    const lines = shownQuestion(question, { code: 'CODE', columns, colours: colourless }).split('\n');
    const ours = lines.filter((line) => !/^┃ {3}[┊↳] /u.test(line));
    expect(ours.filter((line) => /^(?:┃ |┗━━ x|┃ ┃)[^\p{L}]*The owner/u.test(line))).toEqual([]);
    expect(ours.filter((line) => !/^(?:┏━━ pluglot asks · CODE|┗━━ CODE|┃ \p{L})/u.test(line))).toEqual([]);
    expect(lines.slice(1, -1).every((line) => line.startsWith('┃'))).toBe(true);
  }
});
