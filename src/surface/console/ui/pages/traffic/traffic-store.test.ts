import { expect, test } from 'vitest';
import type { TrafficEntry } from '../../api/types.ts';
import { TrafficStore } from './traffic-store.ts';

function world() {
  let steps: (() => void)[] = [];
  const store = new TrafficStore((step) => steps.push(step));
  const drawn = () => {
    while (steps.length > 0) {
      const now = steps;
      steps = [];
      for (const step of now) step();
    }
    return Array.from({ length: store.view.count }, (_, index) => store.view.at(index)?.seq);
  };
  return { store, drawn, frames: () => steps.length };
}

function entries(from: number, to: number): TrafficEntry[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    seq: from + index,
    at: 0,
    plugin: index % 2 === 0 ? 'even' : 'odd',
    from: 'host' as const,
    kind: 'notification' as const,
    size: 1,
  }));
}

test('what comes in one frame is drawn once', () => {
  const { store, drawn, frames } = world();
  store.receive(entries(1, 2));
  store.receive(entries(3, 3));
  store.lost(5);
  expect(frames()).toBe(1);
  expect(drawn()).toEqual([1, 2, 3]);
  expect([store.lastSeq, store.dropped.value, store.version.value]).toEqual([3, 5, 1]);
});

test('paused messages come later, up to a limit', () => {
  const { store, drawn } = world();
  store.receive(entries(1, 2));
  drawn();
  store.pause(true);
  store.receive(entries(3, 30_000));
  expect(drawn()).toEqual([1, 2]);
  expect([store.held.value, store.dropped.value]).toEqual([20_000, 9998]);
  store.pause(false);
  const shown = drawn();
  expect([shown.length, shown[2], shown.at(-1)]).toEqual([20_002, 10_001, 30_000]);
  expect(store.held.value).toBe(0);
});

test('where no frame comes, all but so many go into the log, and none is lost', () => {
  const { store, drawn, frames } = world();
  for (let from = 1; from < 60_000; from += 2000) store.receive(entries(from, from + 1999));
  expect([frames(), store.size]).toEqual([1, 40_000]);
  expect(drawn()).toEqual(Array.from({ length: 60_000 }, (_, index) => index + 1));
  expect(store.dropped.value).toBe(0);
});

test('after a restart the host counts from one', () => {
  const { store, drawn } = world();
  store.receive(entries(1, 2));
  store.restarted();
  expect(store.lastSeq).toBe(0);
  store.receive(entries(1, 1));
  expect(drawn()).toEqual([1, 2, 1]);
});

test('is settled when all of it is in the log, or held up', async () => {
  const { store, drawn } = world();
  await store.settled();
  store.receive(entries(1, 2));
  let isSettled = false;
  const settled = store.settled().then(() => (isSettled = true));
  await Promise.resolve();
  expect(isSettled).toBe(false);
  drawn();
  await settled;
  store.receive(entries(3, 4));
  const held = store.settled();
  store.pause(true);
  drawn();
  await held;
});

test('filters and clears', () => {
  const { store, drawn } = world();
  store.receive(entries(1, 4));
  store.setFilter({ plugin: 'odd' });
  expect(drawn()).toEqual([2, 4]);
  store.clear();
  expect(drawn()).toEqual([]);
  store.setFilter({ plugin: '' });
  store.receive(entries(5, 5));
  expect(drawn()).toEqual([5]);
});
