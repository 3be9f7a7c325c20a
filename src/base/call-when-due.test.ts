import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { type Clock, callWhenDue } from './clock.ts';

test('it calls after its time, once what waits in pipes can be read', async () => {
  const clock = fakeClock();
  const callback = vi.fn<() => void>();
  callWhenDue(clock, 100, callback);
  clock.advance(99);
  await nextRound();
  expect(callback).not.toHaveBeenCalled();
  clock.advance(1);
  expect(callback).not.toHaveBeenCalled();
  await nextRound();
  expect(callback).toHaveBeenCalledOnce();
});

test.each(['before its time', 'after its time, before what waits was read'])(
  'what is called off %s is not called',
  async (when) => {
    const clock = fakeClock();
    const callback = vi.fn<() => void>();
    const callOff = callWhenDue(clock, 100, callback);
    clock.advance(when === 'before its time' ? 50 : 100);
    callOff();
    clock.advance(1000);
    await nextRound();
    expect(callback).not.toHaveBeenCalled();
  },
);

test('a process that was blocked waits as long again as it was late, and only once', async () => {
  const { clock, timers, move } = blockableClock();
  const callback = vi.fn<() => void>();
  callWhenDue(clock, 1000, callback);
  expect(timers).toMatchObject([{ delayMs: 1000 }]);
  move(6000);
  timers[0]?.callback();
  await nextRound();
  expect(callback).not.toHaveBeenCalled();
  expect(timers).toMatchObject([{ delayMs: 1000 }, { delayMs: 5000 }]);
  move(20_000);
  timers[1]?.callback();
  await nextRound();
  expect(callback).toHaveBeenCalledOnce();
});

test('a little lateness is like any other day', async () => {
  const { clock, timers, move } = blockableClock();
  const callback = vi.fn<() => void>();
  callWhenDue(clock, 1000, callback);
  move(1090);
  timers[0]?.callback();
  await nextRound();
  expect(callback).toHaveBeenCalledOnce();
});

function blockableClock() {
  const timers: { delayMs: number; callback: () => void }[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => now,
    after(delayMs, callback) {
      timers.push({ delayMs, callback });
      return () => {};
    },
  };
  return { clock, timers, move: (ms: number) => (now += ms) };
}
