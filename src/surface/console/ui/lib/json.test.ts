import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../../base/json.ts';
import { childCount, childrenOf, isBranch, parsedJson, prettyJson, preview, scalarText } from './json.ts';

test('a branch has its children in order, some at a time', () => {
  const value = { a: 1, b: [true, null], c: 'x' };
  expect(childCount(value)).toBe(3);
  expect(childrenOf(value, 2)).toEqual([
    { key: 'a', value: 1 },
    { key: 'b', value: [true, null] },
  ]);
  expect(childrenOf([7, 8], 9)).toEqual([
    { key: 0, value: 7 },
    { key: 1, value: 8 },
  ]);
  expect(isBranch(null)).toBe(false);
  expect(childrenOf('text', 5)).toEqual([]);
});

test('a closed node is one short line', () => {
  expect(preview({})).toBe('{}');
  expect(preview([])).toBe('[]');
  expect(preview([1])).toBe('[ 1 item ]');
  expect(preview({ a: 'b', c: { d: 1 } })).toBe('{ a: "b", c: {…} }');
  expect(preview({ a: 1, b: 2, c: 3, d: 4, e: 5 })).toBe('{ a: 1, b: 2, c: 3, d: 4, … }');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(preview(value as Json).length).toBeLessThan(400);
    }),
  );
});

test('long texts are cut; deep values and broken texts do not fail', () => {
  expect(scalarText('x'.repeat(3000)).length).toBeLessThan(2010);
  let deep: Json = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(prettyJson(deep)).toContain('nested too deeply');
  expect(parsedJson('{"a":')).toBeUndefined();
  expect(parsedJson('{"a":1}')).toEqual({ a: 1 });
});
