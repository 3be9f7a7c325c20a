import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesGlob } from './glob.ts';

test.for<[pattern: string, text: string, matches: boolean]>([
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['a*', 'a', true],
  ['a*b*c', 'axxbxxc', true],
  ['a*b*c', 'axxbxx', false],
  ['?', 'a', true],
  ['?', '', false],
  ['a?c', 'abc', true],
  ['*a*a', 'aaab', false],
  ['[a]', 'a', false],
  ['.*', 'x', false],
  ['**', 'x', true],
  ['git *', 'git', false],
])('%s and %s: %s', ([pattern, text, matches]) => {
  expect(matchesGlob(pattern, text)).toBe(matches);
});

test('is what a regular expression would say', () => {
  const piece = fc.constantFrom('a', 'b', '*', '?', 'ab');
  const property = fc.property(
    fc.array(piece, { maxLength: 8 }),
    fc.array(fc.constantFrom('a', 'b'), { maxLength: 10 }),
    (pieces, letters) => {
      const pattern = pieces.join('');
      const text = letters.join('');
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
      expect(matchesGlob(pattern, text)).toBe(expression.test(text));
    },
  );
  fc.assert(property);
});

test('many stars take no longer', () => {
  expect(matchesGlob(`${'*a'.repeat(500)}*b`, 'a'.repeat(100_000))).toBe(false);
});
