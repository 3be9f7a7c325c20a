import { expect, test } from 'vitest';
import type { Json } from './json.ts';
import { jsonSize } from './json-size.ts';

test.each<[Json, number]>([
  [null, 8],
  ['four', 12],
  [[], 8],
  [[1, true, 'x'], 33],
  [{ key: 'value' }, 24],
])('of %j', (value, size) => expect(jsonSize(value)).toBe(size));

test('no depth is too deep', () => {
  let value: Json = [];
  for (let depth = 0; depth < 1_000_000; depth++) value = [value];
  expect(jsonSize(value)).toBe(8 * 1_000_001);
});
