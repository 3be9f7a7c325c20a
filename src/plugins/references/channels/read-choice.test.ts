import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readChoice } from './read-choice.ts';

describe('what is typed', () => {
  test.each<[string, readonly number[]]>([
    ['1,3', [1, 3]],
    [' 3 , 1,3 ', [3, 1]],
    ['1 2', [1, 2]],
    ['2-3;1', [2, 3, 1]],
    ['all', [1, 2, 3]],
    ['ALL', [1, 2, 3]],
    ['none', []],
    ['', []],
    ['  ', []],
  ])('%j', (typed, numbers) => {
    expect(readChoice(typed, 3)).toEqual({ kind: 'numbers', numbers });
  });

  test.each(['4', '0', '-1', '1,x', '3-1', '1.5', '1e3', 'everything', '9'.repeat(5000), '1-999999'])(
    '%s is none',
    (typed) => {
      expect(readChoice(typed, 3)).toMatchObject({ kind: 'wrong' });
    },
  );

  test('whatever it is, what comes of it is in the list, each once', () => {
    const words = fc.oneof(
      fc.string(),
      fc.array(fc.integer({ min: -2, max: 12 })).map((numbers) => numbers.join()),
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 10 }), (typed, count) => {
        const choice = readChoice(typed, count);
        const numbers = choice.kind === 'numbers' ? choice.numbers : [];
        expect(numbers.filter((number) => !Number.isInteger(number) || number < 1 || number > count)).toEqual(
          [],
        );
        expect(new Set(numbers).size).toBe(numbers.length);
        expect('reason' in choice ? choice.reason : 'fine').not.toBe('');
      }),
    );
  });
});
