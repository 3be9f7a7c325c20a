import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { isQuickPattern } from './pattern.ts';

test.each([
  '^[a-z]+$',
  '^abc$',
  '^\\d{4}-\\d\\d$',
  'x',
  '^[A-Za-z0-9_.-]{1,64}$',
  '^https?:',
  '^(fast|slow|other)$',
  '^\\(.*\\)$',
  '',
])('the pattern %s is quick', (pattern) => expect(isQuickPattern(pattern)).toBe(true));

test.each([
  '^(a+)+$',
  '(a|a)*$',
  '^(a|b)?$',
  'a*a*a*$',
  '(.*)\\1',
  '^(?<x>a)\\k<x>$',
  '^a?a?a?a?a?a?a?a?a?aaaaaaaaa$',
  '(?=a)b',
  'a+$',
  '^a+|a+$',
  '^[a-z]+@[a-z]+$',
  `^${'(a|a)'.repeat(30)}$`,
  `${'(a|aa)'.repeat(30)}b`,
])('of the pattern %s nobody knows', (pattern) => expect(isQuickPattern(pattern)).toBe(false));

test('what is called quick is quick on any text', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '[ab]',
    '\\d',
    '.',
    '(',
    ')',
    '|',
    '*',
    '+',
    '?',
    '{2,}',
    '^',
    '$',
    '\\1',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const pattern = pieces.join('');
      fc.pre(isQuickPattern(pattern) && isValid(pattern));
      const before = performance.now();
      new RegExp(pattern, 'u').test(`${'a'.repeat(5000)}!`);
      expect(performance.now() - before).toBeLessThan(5000);
    }),
    { numRuns: runs(300) },
  );
});

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
