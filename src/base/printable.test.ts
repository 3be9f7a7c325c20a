import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable, printableLine, revealed } from './printable.ts';

test.each([
  ['plain text, ümläuts and 日本語', 'plain text, ümläuts and 日本語'],
  ['two\nlines\tand a tab\r\n', 'two\nlines\tand a tab\n'],
  ['10 %\r20 %\r', '10 % 20 %'],
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

test.each([
  ['plain text, ümläuts and 日本語', 'plain text, ümläuts and 日本語'],
  ['two\nlines\tand a tab\r\n', String.raw`two\nlines\tand a tab\u{d}\n`],
  ['\u001B[2Jgone', String.raw`\u{1b}[2Jgone`],
  ['zero\u200Bwidth', String.raw`zero\u{200b}width`],
  ['a\u202Eb', String.raw`a\u{202e}b`],
  ['no\u00A0break', String.raw`no\u{a0}break`],
  ['tag\u{E0041}', String.raw`tag\u{e0041}`],
  ['line\u2028separator', String.raw`line\u{2028}separator`],
  ['filler\u3164', String.raw`filler\u{3164}`],
  ['half \uD800', String.raw`half \u{d800}`],
])('%o, revealed', (text, expected) => {
  expect(revealed(text)).toBe(expected);
});

test('whatever is revealed stays in its line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(revealed(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});
