import { expect, test } from 'vitest';
import { nextFrame } from './next-frame.ts';

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

test('it is done with the frame, once', () => {
  const { ask, frames, done, listeners } = world();
  ask();
  expect(done()).toBe(0);
  for (const step of [...frames, ...frames]) step();
  expect([done(), listeners.size]).toEqual([1, 0]);
});

test('who hides the page does not stop it', async () => {
  const { ask, frames, done, hide } = world();
  ask();
  hide();
  await expect.poll(done).toBe(1);
  ask();
  await expect.poll(done).toBe(2);
  for (const step of frames) step();
  expect(done()).toBe(2);
});
