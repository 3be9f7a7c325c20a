import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';

test('shows what is gone and what is new, with what stands around', () => {
  const before = 'a\nb\nc\nd\ne\nf';
  expect(lineDiff(before, before)).toBe('');
  expect(lineDiff(before, 'a\nb\nC\nd\ne\nf', { context: 1 })).toBe(
    '@@ 1 line the same @@\n b\n-c\n+C\n d\n@@ 2 lines the same @@',
  );
  expect(lineDiff('a', 'a\nb')).toBe(' a\n+b');
  expect(lineDiff('', 'a')).toBe('-\n+a');
});

test('is cut where it is long', () => {
  const lines = Array.from({ length: 50 }, (_, index) => String(index));
  expect(lineDiff('', lines.join('\n'), { maxLines: 3 })).toBe('-\n+0\n+1\n@@ 48 more lines @@');
});

test('does not compare each with each where there are many', () => {
  const many = (mark: string) => Array.from({ length: 100_000 }, (_, index) => `${mark}${index}`).join('\n');
  expect(lineDiff(many('a'), many('b'), { maxLines: 1 })).toBe('-a0\n@@ 199999 more lines @@');
});

const someLines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 30 });

test('both texts can be read from it', () => {
  fc.assert(
    fc.property(someLines, someLines, (before, after) => {
      const diff = lineDiff(before.join('\n'), after.join('\n'), { context: 100 });
      fc.pre(diff !== '');
      const lines = diff.split('\n');
      const side = (mark: string) =>
        lines.filter((line) => line.startsWith(' ') || line.startsWith(mark)).map((line) => line.slice(1));
      expect(side('-')).toEqual(before);
      expect(side('+')).toEqual(after);
    }),
  );
});
