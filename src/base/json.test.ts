import { expect, test } from 'vitest';
import { isJsonArray, isJsonObject, textsIn } from './json.ts';

test.each([
  [{}, true, false],
  [[], false, true],
  [null, false, false],
  ['text', false, false],
  [undefined, false, false],
])('%j: an object %s, a list %s', (value, object, array) => {
  expect(isJsonObject(value)).toBe(object);
  expect(isJsonArray(value)).toBe(array);
});

test('the texts of a list are what is text in it', () => {
  expect(textsIn(['a', 1, null, ['b'], 'c'])).toEqual(['a', 'c']);
  for (const none of [undefined, null, 'a', { 0: 'a' }]) expect(textsIn(none)).toEqual([]);
});
