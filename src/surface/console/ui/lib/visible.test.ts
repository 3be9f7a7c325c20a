import { expect, test } from 'vitest';
import { visible } from './visible.ts';

test('what hides or turns others around is seen', () => {
  expect(visible('a\u200Bb')).toBe('a\\u{200b}b');
  expect(visible('a\u202Eb')).toBe('a\\x202eb');
  expect(visible('x\u{E0041}')).toBe('x\\u{e0041}');
  expect(visible('\u3164\u2800')).toBe('\\u{3164}\\u{2800}');
  expect(visible('\u001B[31m')).toBe('\\x1b[31m');
});

test('pictures stay whole, and what only pretends to belong to one is seen', () => {
  expect(visible('⚠\uFE0F 👨‍👩‍👧 🏳\uFE0F‍🌈 👩🏽‍💻')).toBe('⚠\uFE0F 👨‍👩‍👧 🏳\uFE0F‍🌈 👩🏽‍💻');
  expect(visible('a\uFE0F')).toBe('a\\u{fe0f}');
  expect(visible('👩\u200Da')).toBe('👩\\u{200d}a');
});

test('lines, tabs and letters of any language stay', () => {
  expect(visible('ä\n\tß 漢字 – é')).toBe('ä\n\tß 漢字 – é');
});
