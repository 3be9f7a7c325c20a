import fc from 'fast-check';
import { expect, test } from 'vitest';
import { literalGlob, literalStart, matchesGlob } from './glob.ts';

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
  ['[*]', '*', true],
  ['[*]', 'a', false],
  ['[[][?]*', '[?x', true],
  ['[*', '[a', true],
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

test('a text as a pattern is that text and no other', () => {
  const text = fc.string({ unit: fc.constantFrom('[', ']', '*', '?', 'a', 'b'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(matchesGlob(literalGlob(one), other)).toBe(one === other);
      expect(literalStart(literalGlob(one))).toEqual({ text: one, isAll: true });
    }),
  );
});
