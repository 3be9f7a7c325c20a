import { expect, test } from 'vitest';
import { nextProgress, progressShown } from './progress.ts';

test('of how much it is stays known', () => {
  const first = nextProgress(undefined, { progress: 3, total: 5, message: 'step' });
  const second = nextProgress(first, { progress: 3.000001, message: 'word' });
  expect(second).toEqual({ progress: 3.000001, total: 5, message: 'word' });
  expect(progressShown(second)).toEqual({ words: '3 of 5', part: 3.000001 / 5 });
  expect(nextProgress(undefined, { progress: 1 })).toEqual({ progress: 1 });
});

test('numbers are short', () => {
  expect(progressShown({ progress: 1234.5678 }).words).toBe('1\u{202f}234.57');
  expect(progressShown({ progress: 0.25, total: 1 }).words).toBe('25 %');
  expect(progressShown({ progress: 42, total: 100 })).toEqual({ words: '42 %', part: 0.42 });
  expect(progressShown({ progress: 9, total: 3 }).part).toBe(1);
  expect(progressShown({ progress: 9, total: 0 })).toEqual({ words: '9' });
});
