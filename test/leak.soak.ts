import { expect, test } from 'vitest';
import { heapGrowth } from './support/heap-growth.ts';

test.each(['lines', 'length-prefix'])('a million calls leave the heap flat, over %s', async (framing) => {
  const { left, grownKiB } = await heapGrowth(framing, 1_000_000);
  expect(left).toBe(0);
  expect(grownKiB).toBeLessThan(1024);
});
