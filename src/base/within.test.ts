import { expect, test } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { late, within } from './async.ts';

test('what comes in time is given, and the timer is called off', async () => {
  const clock = fakeClock();
  const value = within(Promise.resolve(7), 100, clock);
  expect(clock.waiting).toBe(1);
  expect(await value).toBe(7);
  expect(clock.waiting).toBe(0);
});

test('a failure in time is passed on, and the timer is called off', async () => {
  const clock = fakeClock();
  await expect(within(Promise.reject(new Error('no')), 100, clock)).rejects.toThrow('no');
  expect(clock.waiting).toBe(0);
});

test('what never comes is late at the limit, not before', async () => {
  const clock = fakeClock();
  let seen: unknown;
  const waited = within(new Promise<never>(() => {}), 100, clock).then((value) => (seen = value));
  clock.advance(99);
  await new Promise(setImmediate);
  expect(seen).toBeUndefined();
  clock.advance(1);
  await waited;
  expect(seen).toBe(late);
});

test('a failure after the limit is no unhandled rejection', async () => {
  const clock = fakeClock();
  const unhandled: unknown[] = [];
  const hear = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', hear);
  try {
    let fail: (error: Error) => void = () => {};
    const waited = within(new Promise<void>((_, reject) => (fail = reject)), 100, clock);
    clock.advance(100);
    expect(await waited).toBe(late);
    fail(new Error('too late'));
    await new Promise(setImmediate);
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', hear);
  }
});
