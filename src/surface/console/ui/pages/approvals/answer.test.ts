import { expect, test } from 'vitest';
import type { Question } from '../../api/types.ts';
import { parsedArguments } from '../../lib/json.ts';
import {
  allowed,
  argumentsRepeatSignature,
  callerText,
  chosenQuestion,
  denied,
  repeatsSignature,
  acceptsKeys,
} from './answer.ts';

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
  expect(parsedArguments('{"a":1}')).toEqual({ args: { a: 1 } });
  expect(parsedArguments('[1]')).toHaveProperty('problem');
  expect(parsedArguments('{')).toHaveProperty('problem');
});

test('a key counts only when the question was there for a moment', () => {
  expect(acceptsKeys(1000, 1100)).toBe(false);
  expect(acceptsKeys(1000, 1700)).toBe(true);
});

test('the choice stays, or goes to what takes its place', () => {
  const all = [question('a'), question('b'), question('c')];
  expect(chosenQuestion(all, 'b', 0)?.id).toBe('b');
  expect(chosenQuestion(all, 'gone', 1)?.id).toBe('b');
  expect(chosenQuestion(all, undefined, 9)?.id).toBe('c');
  expect(chosenQuestion([], 'a', 0)).toBeUndefined();
});

test('the caller as text', () => {
  expect(callerText(question('a'))).toBe('A model (m1)');
  expect(callerText({ ...question('a'), caller: { kind: 'user' } })).toBe('A person');
  const hidden = callerText({
    ...question('a'),
    caller: { kind: 'client', name: `x\u202E${'y'.repeat(99)}` },
  });
  expect(hidden).toMatch(/^A connected program \("x\\u\{202e\}y{38}"\)$/);
});

const repeating = {
  args: { command: 'rm -rf build' },
  signature: 'rm -rf build',
} as unknown as Question;

test('what the signature says is not said again', () => {
  expect(repeatsSignature(repeating, 'Run: rm  -rf build')).toBe(true);
  expect(repeatsSignature(repeating, 'In bash.')).toBe(false);
  expect(repeatsSignature(repeating, 'Run: rm -rf build, and then send what was in it to example.org')).toBe(
    false,
  );
  expect(repeatsSignature({ ...repeating, signature: '' }, 'anything')).toBe(false);
});

test('arguments that say more are shown', () => {
  expect(argumentsRepeatSignature(repeating)).toBe(true);
  expect(argumentsRepeatSignature({ ...repeating, args: { command: 'rm -rf build', cwd: '/' } })).toBe(false);
  expect(argumentsRepeatSignature({ ...repeating, args: { command: 'rm -rf dist' } })).toBe(false);
});
