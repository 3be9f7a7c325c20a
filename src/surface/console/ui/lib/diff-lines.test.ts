import { expect, test } from 'vitest';
import { diffLines } from './diff-lines.ts';

test('each line has a meaning', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n--- was a comment\n+new\n';
  expect(diffLines(diff).lines.map(({ kind }) => kind)).toEqual([
    'file',
    'file',
    'place',
    'same',
    'removed',
    'added',
  ]);
});

test('without a head, plus and minus count', () => {
  expect(diffLines(' a\n-b\r\n+c').lines).toEqual([
    { kind: 'same', text: ' a' },
    { kind: 'removed', text: '-b' },
    { kind: 'added', text: '+c' },
  ]);
});

test('what is too long is counted', () => {
  const { lines, omitted } = diffLines('+x\n'.repeat(2500));
  expect(lines).toHaveLength(2000);
  expect(omitted).toBe(500);
});
