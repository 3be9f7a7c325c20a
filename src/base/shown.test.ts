import { expect, test } from 'vitest';
import { jsonText, shortened, shown, textOf } from './text.ts';

test.each([
  [17, '17'],
  ['a "b"', '"a \\"b\\""'],
  [null, 'null'],
  [() => 1, 'function'],
  [{ a: [1, 'x'] }, '{"a":[1,"x"]}'],
  [1n, '(a value of type bigint that cannot be shown)'],
])('%o is shown as %s', (value, text) => {
  expect(shown(value)).toBe(text);
  expect(jsonText(value)).toBe(text);
});

test('a text is its own text', () => {
  expect(textOf('a "b"')).toBe('a "b"');
  expect(textOf({ a: 1 })).toBe('{"a":1}');
});

test('what is not there is nothing', () => {
  expect(shown(undefined)).toBe('nothing');
  expect(jsonText(undefined)).toBe('undefined');
});

test('what is long is cut', () => {
  expect(shown('x'.repeat(1000))).toBe(`"${'x'.repeat(99)}… (1002 characters)`);
  expect(shown('x'.repeat(1000), 10)).toBe(`"${'x'.repeat(9)}… (1002 characters)`);
  expect(jsonText('x'.repeat(1000))).toHaveLength(1002);
  expect(shortened('x'.repeat(500))).toBe('x'.repeat(500));
  expect(shortened('x'.repeat(501))).toBe(`${'x'.repeat(500)}… (501 characters)`);
});

test.each([
  ['['.repeat(50_000) + ']'.repeat(50_000), '(an array that cannot be shown)'],
  [`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, '(a value of type object that cannot be shown)'],
])('what is nested too deeply is named, case %#', (json, text) => {
  expect(shown(JSON.parse(json))).toBe(text);
});
