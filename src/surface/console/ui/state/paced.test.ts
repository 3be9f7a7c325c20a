import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { paced } from './paced.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('steady news does not put it off, and is gathered while it works', async () => {
  let begun = 0;
  let ended = 0;
  const reads = paced(async () => {
    begun += 1;
    await new Promise((resolve) => setTimeout(resolve, 600));
    ended += 1;
  }, 400);
  for (let at = 0; at < 5000; at += 100) {
    reads.ask();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect([begun, ended]).toEqual([5, 5]);
  await vi.advanceTimersByTimeAsync(5000);
  expect([begun, ended]).toEqual([6, 6]);
});

test('the first can come at once, and none after the end', async () => {
  let begun = 0;
  const reads = paced(() => Promise.resolve(void (begun += 1)), 400);
  reads.ask(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toBe(1);
  reads.ask();
  reads.stop();
  reads.ask();
  await vi.advanceTimersByTimeAsync(5000);
  expect(begun).toBe(1);
});
