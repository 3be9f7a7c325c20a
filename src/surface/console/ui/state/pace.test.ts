import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { coalesced, nextFrame, throttled } from './pace.ts';

test('many calls in a row run the work twice', async () => {
  let asked = 0;
  const ask = coalesced(async () => {
    asked += 1;
    await Promise.resolve();
  });
  await Promise.all([ask(), ask(), ask(), ask()]);
  expect(asked).toBe(2);
  await ask();
  expect(asked).toBe(3);
});

test('a failure rejects, and the next call runs', async () => {
  let isBroken = true;
  const ask = coalesced(() => (isBroken ? Promise.reject(new Error('no')) : Promise.resolve()));
  await expect(ask()).rejects.toThrow('no');
  isBroken = false;
  await expect(ask()).resolves.toBeUndefined();
});

describe('throttled', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('steady requests do not delay it, and are combined while it works', async () => {
    let begun = 0;
    let ended = 0;
    const reads = throttled(async () => {
      begun += 1;
      await new Promise((resolve) => setTimeout(resolve, 600));
      ended += 1;
    }, 400);
    for (let at = 0; at < 5000; at += 100) {
      reads.request();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect([begun, ended]).toEqual([5, 5]);
    await vi.advanceTimersByTimeAsync(5000);
    expect([begun, ended]).toEqual([6, 6]);
  });

  test('the first can come at once, and none after the end', async () => {
    let begun = 0;
    const reads = throttled(() => Promise.resolve(void (begun += 1)), 400);
    reads.request(0);
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toBe(1);
    reads.request();
    reads.stop();
    reads.request();
    await vi.advanceTimersByTimeAsync(5000);
    expect(begun).toBe(1);
  });
});

function world() {
  const frames: (() => void)[] = [];
  const listeners = new Set<() => void>();
  const document = {
    hidden: false,
    addEventListener: (_name: string, listener: () => void) => void listeners.add(listener),
    removeEventListener: (_name: string, listener: () => void) => void listeners.delete(listener),
  };
  let done = 0;
  // The page's own takes more kinds of events and listeners than are used here.
  const next = nextFrame({ requestAnimationFrame: (step) => frames.push(step), document: document as never });
  return {
    frames,
    listeners,
    ask: () => next(() => (done += 1)),
    done: () => done,
    hide: () => {
      document.hidden = true;
      for (const listener of listeners) listener();
    },
  };
}

test('a step runs with the frame, once', () => {
  const { ask, frames, done, listeners } = world();
  ask();
  expect(done()).toBe(0);
  for (const step of [...frames, ...frames]) step();
  expect([done(), listeners.size]).toEqual([1, 0]);
});

test('hiding the page does not stop it', async () => {
  const { ask, frames, done, hide } = world();
  ask();
  hide();
  await expect.poll(done).toBe(1);
  ask();
  await expect.poll(done).toBe(2);
  for (const step of frames) step();
  expect(done()).toBe(2);
});
