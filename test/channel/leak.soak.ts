import { expect, test } from 'vitest';
import { heapGrowth } from './heap-growth.ts';
import { recordSoak } from '../support/soak-results.ts';

const CALLS = 1_000_000;

test.each(['lines', 'length-prefix'])('a million calls leave the heap flat, over %s', async (framing) => {
  const startedAt = performance.now();
  const { left, grownKiB } = await heapGrowth(framing, CALLS);
  expect(left).toBe(0);
  expect(grownKiB).toBeLessThan(1024);
  recordSoak({
    what: `leaks: calls between two peers over ${framing}`,
    count: CALLS,
    details: `heap ${grownKiB < 0 ? '' : '+'}${Math.round(grownKiB)} KiB, 0 calls, requests or handlers left`,
    durationMs: performance.now() - startedAt,
  });
});
