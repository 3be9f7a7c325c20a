// A leak of a few bytes per call would show: 100,000 calls of every kind, and 2,000 connections. The soak makes a million.
import { expect, test } from 'vitest';
import { dialectNames } from '../../src/definition/plugin-spec.ts';
import { heapGrowth, toolCallGrowth } from './heap-growth.ts';

test.each(['lines', 'length-prefix'])(
  'a hundred thousand calls leave the heap flat, over %s',
  async (framing) => {
    const { left, grownKiB, grownByConnectionsKiB } = await heapGrowth(framing, 100_000);
    expect(left).toBe(0);
    expect(grownKiB).toBeLessThan(1024);
    expect(grownByConnectionsKiB).toBeLessThan(1024);
  },
);

// Fifty bytes a call would show.
test.each(dialectNames)('ten thousand calls of a served tool leave the heap flat, in %s', async (dialect) => {
  expect(await toolCallGrowth(dialect, 10_000)).toBeLessThan(512);
});
