import { expect, test } from 'vitest';
import { printable, printableLine } from './printable.ts';

test.each([
  ['plain text, ümläuts and 日本語', 'plain text, ümläuts and 日本語'],
  ['two\nlines\tand a tab\r\n', 'two\nlines\tand a tab\n'],
  ['\u001B[2Jgone', '\\x1b[2Jgone'],
  ['\u0007\u009B31m', '\\x07\\x9b31m'],
  ['a\u202Eb', 'a\\x202eb'],
  ['a\u061Cb', 'a\\x61cb'],
])('%o', (text, expected) => {
  expect(printable(text)).toBe(expected);
});

test('a line is one line of bounded length', () => {
  expect(printableLine('  a\n b\t c ')).toBe('a b c');
  expect(printableLine('x'.repeat(300), 10)).toBe('xxxxxxxxx…');
});
