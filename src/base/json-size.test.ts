import { expect, test } from 'vitest';
import { isDeeperThan, type Json, jsonSize } from './json.ts';

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

test('depth counts objects and arrays, and is given up at the limit', () => {
  expect(isDeeperThan('text', 0)).toBe(false);
  expect(isDeeperThan({ a: [1, {}] }, 3)).toBe(false);
  expect(isDeeperThan({ a: [1, {}] }, 2)).toBe(true);
  let value: Json = [];
  for (let depth = 0; depth < 1_000_000; depth++) value = [value];
  expect(isDeeperThan(value, 500)).toBe(true);
});
