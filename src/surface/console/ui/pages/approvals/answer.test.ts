import { expect, test } from 'vitest';
import type { Question } from '../../api/types.ts';
import { allowed, callerWords, chosenQuestion, denied, editedArguments, mayKeyAnswer } from './answer.ts';

function question(id: string): Question {
  return {
    id,
    kind: 'tool',
    tool: 't',
    plugin: 'p',
    caller: { kind: 'model', name: 'm1' },
    args: {},
    signature: 't()',
    reason: 'r',
    remembers: 't',
    expiresAt: 0,
  };
}

test('answers are what the gate takes', () => {
  expect(allowed('session')).toEqual({ kind: 'allow', scope: 'session', by: 'console' });
  expect(allowed('always', { covers: 'tool' })).toMatchObject({ scope: 'always', covers: 'tool' });
  expect(allowed('once', { args: { a: 1 } })).toEqual({
    kind: 'allow',
    scope: 'once',
    by: 'console',
    args: { a: 1 },
  });
  expect(denied('  ')).toEqual({ kind: 'deny', scope: 'once', by: 'console' });
  expect(denied(' not now ')).toMatchObject({ comment: 'not now' });
});

test('only an object is arguments', () => {
  expect(editedArguments('{"a":1}')).toEqual({ args: { a: 1 } });
  expect(editedArguments('[1]')).toHaveProperty('problem');
  expect(editedArguments('{')).toHaveProperty('problem');
});

test('a key counts only when the question was there for a moment', () => {
  expect(mayKeyAnswer(1000, 1100)).toBe(false);
  expect(mayKeyAnswer(1000, 1700)).toBe(true);
});

test('the choice stays, or goes to what takes its place', () => {
  const all = [question('a'), question('b'), question('c')];
  expect(chosenQuestion(all, 'b', 0)?.id).toBe('b');
  expect(chosenQuestion(all, 'gone', 1)?.id).toBe('b');
  expect(chosenQuestion(all, undefined, 9)?.id).toBe('c');
  expect(chosenQuestion([], 'a', 0)).toBeUndefined();
});

test('who asks, in words', () => {
  expect(callerWords(question('a'))).toBe('A model (m1)');
  expect(callerWords({ ...question('a'), caller: { kind: 'user' } })).toBe('A person');
  const hidden = callerWords({
    ...question('a'),
    caller: { kind: 'client', name: `x\u202E${'y'.repeat(99)}` },
  });
  expect(hidden).toMatch(/^A connected program \(x\\u\{202e\}y{31}\)$/);
});
