import { expect, test } from 'vitest';
import { cutTo, widthOf } from './text-width.ts';

test.each([
  ['', 0],
  ['plain', 5],
  ['– … → ● ✓', 9],
  ['über', 4],
  ['日本語', 6],
  ['한국', 4],
  ['ｗ', 2],
  ['e\u0301', 1],
  ['🎲', 2],
  ['a🎲b', 4],
])('%j takes %d columns', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test.each([
  ['short', 5, 'short'],
  ['longer', 5, 'long…'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['🎲🎲', 3, '🎲…'],
  ['long', 1, '…'],
  ['long', 0, ''],
])('%j in %d columns is %j', (text, width, cut) => {
  expect(cutTo(text, width)).toBe(cut);
  expect(widthOf(cut)).toBeLessThanOrEqual(width);
});
