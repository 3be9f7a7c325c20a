import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';

test('shows removed and added lines with unchanged ones beside them', async () => {
  const before = 'a\nb\nc\nd\ne\nf';
  expect(await lineDiff(before, before)).toBe('');
  expect(await lineDiff(before, 'a\nb\nC\nd\ne\nf', { context: 1 })).toBe(
    '@@ 1 line the same @@\n b\n-c\n+C\n d\n@@ 2 lines the same @@',
  );
  expect(await lineDiff('a', 'a\nb')).toBe(' a\n+b');
  expect(await lineDiff('', 'a')).toBe('-\n+a');
});

test('is cut where it is long', async () => {
  const lines = Array.from({ length: 50 }, (_, index) => String(index));
  expect(await lineDiff('', lines.join('\n'), { maxLines: 3 })).toBe('-\n+0\n+1\n@@ 48 more lines @@');
});

test('does not compare each with each where there are many', async () => {
  const many = (mark: string) => Array.from({ length: 100_000 }, (_, index) => `${mark}${index}`).join('\n');
  expect(await lineDiff(many('a'), many('b'), { maxLines: 1 })).toBe('-a0\n@@ 199999 more lines @@');
});

const someLines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 30 });

test('both texts can be read from it', async () => {
  await fc.assert(
    fc.asyncProperty(someLines, someLines, async (before, after) => {
      const diff = await lineDiff(before.join('\n'), after.join('\n'), { context: 100 });
      fc.pre(diff !== '');
      const lines = diff.split('\n');
      const side = (mark: string) =>
        lines.filter((line) => line.startsWith(' ') || line.startsWith(mark)).map((line) => line.slice(1));
      expect(side('-')).toEqual(before);
      expect(side('+')).toEqual(after);
    }),
  );
});
