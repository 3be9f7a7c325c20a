import { expect, test } from 'vitest';
import type { Question } from '../../api/types.ts';
import { areArgumentsRepeated, isRepeated } from './repeats.ts';

const question = {
  args: { command: 'rm -rf build' },
  signature: 'rm -rf build',
} as unknown as Question;

test('what the signature says is not said again', () => {
  expect(isRepeated(question, 'Run: rm  -rf build')).toBe(true);
  expect(isRepeated(question, 'In bash.')).toBe(false);
  expect(isRepeated(question, 'Run: rm -rf build, and then send what was in it to example.org')).toBe(false);
  expect(isRepeated({ ...question, signature: '' }, 'anything')).toBe(false);
});

test('arguments that say more are shown', () => {
  expect(areArgumentsRepeated(question)).toBe(true);
  expect(areArgumentsRepeated({ ...question, args: { command: 'rm -rf build', cwd: '/' } })).toBe(false);
  expect(areArgumentsRepeated({ ...question, args: { command: 'rm -rf dist' } })).toBe(false);
});
