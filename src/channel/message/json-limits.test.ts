import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exceededLimit, type JsonLimits } from './json-limits.ts';

const limits: JsonLimits = { depth: 3, keys: 4, values: 8 };

describe('what is within the limits', () => {
  test.each([
    '{}',
    'null',
    '[[[]]]',
    '{"a":1,"b":2,"c":3,"d":4}',
    '[1,2,3,4,5,6,7,8]',
    // What stands in strings is not structure.
    '["{[{[{[{[", "::::::::", ",,,,,,,,,,"]',
    '["\\"", "\\\\", "[[[[[\\"[[[[[", "\\u005b:::::"]',
    `["${'x'.repeat(100)}\\"${',{:'.repeat(100)}"]`,
    `["${'\\\\'.repeat(50)}", "${'y'.repeat(33)}\\\\\\"${':'.repeat(50)}"]`,
  ])('%s', (text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
    expect(exceededLimit(text, limits)).toBeUndefined();
  });
});

describe('what exceeds a limit, which is named', () => {
  test.each([
    ['[[[[]]]]', 'It is nested more than 3 levels deep.'],
    ['{"a":{"b":[{', 'It is nested more than 3 levels deep.'],
    ['{"a":1,"b":1,"c":1,"d":1,"e":1}', 'It has more than 4 keys.'],
    ['{"a":1,"a":1,"a":1,"a":1,"a":1}', 'It has more than 4 keys.'],
    ['[1,2,3,4,5,6,7,8,9]', 'It has more than 8 values.'],
    ['[[],[],[],[],[]]', 'It has more than 8 values.'],
    [`["${'\\\\'.repeat(50)}",1,2,3,4,5,6,7,8]`, 'It has more than 8 values.'],
    [`["${'x'.repeat(40)}\\\\",1,2,3,4,5,6,7,8]`, 'It has more than 8 values.'],
  ])('%s', (text, reason) => {
    expect(exceededLimit(text, limits)).toBe(reason);
  });
});

test('only the given range is looked at', () => {
  const text = '[[[[[[ {"a":1} ]]]]]]';
  expect(exceededLimit(text, limits, 7, 14)).toBeUndefined();
  expect(exceededLimit('"never closed', limits)).toBeUndefined();
  expect(exceededLimit('"a" [[[[', limits, 0, 1)).toBeUndefined();
});

test('any JSON text is counted as its value is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1), (value, indent) => {
      const counted = countsIn(value);
      const text = JSON.stringify(value, null, indent);
      expect(exceededLimit(text, counted)).toBeUndefined();
      const exceeding = (['depth', 'keys', 'values'] as const).filter((name) => counted[name] > 0);
      for (const name of exceeding)
        expect(exceededLimit(text, { ...counted, [name]: counted[name] - 1 })).toContain(
          String(counted[name] - 1),
        );
    }),
  );
});

/** An object or array counts for itself, and every value in it but the first does. */
function countsIn(value: unknown): JsonLimits {
  if (typeof value !== 'object' || value === null) return { depth: 0, keys: 0, values: 0 };
  const items: unknown[] = Object.values(value);
  const inner = items.map(countsIn);
  const sum = (name: 'keys' | 'values') => inner.reduce((all, one) => all + one[name], 0);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    keys: sum('keys') + (Array.isArray(value) ? 0 : items.length),
    values: sum('values') + Math.max(1, items.length),
  };
}
