import { setImmediate as nextRound } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { Deadlines, type Expiring } from './clock.ts';

test('thousands of different limits expire, each at its time', async () => {
  const { clock, add, expired } = setup();
  const limits = Array.from({ length: 5000 }, (_, i) => ((i * 7919) % 5000) + 1);
  for (const limit of limits) add(limit);
  const late: number[] = [];
  for (let now = 1; now <= 5000; now++) {
    clock.advance(1);
    await nextRound();
    if (expired.at(-1) !== now || expired.length !== now) late.push(now);
  }
  expect(late).toEqual([]);
});

test('there is one timer, whatever the number of limits and their order', async () => {
  const { clock, add } = setup();
  for (let i = 1000; i > 0; i--) {
    add(i);
    add(2000 - i);
    expect(clock.waiting).toBe(1);
  }
  clock.advance(500);
  await nextRound();
  expect(clock.waiting).toBe(1);
});

test('no timer without a limit', () => {
  const { clock, add } = setup();
  add(Infinity);
  expect(clock.waiting).toBe(0);
});

test('what was removed in time does not expire', async () => {
  const { clock, add, items, expired } = setup();
  const item = add(10);
  add(20);
  items.delete(item);
  clock.advance(30);
  await nextRound();
  expect(expired).toEqual([20]);
});

test('an item that is removed by the expiry of another does not expire', async () => {
  const clock = fakeClock();
  const items = new Set<Expiring>();
  const expired: number[] = [];
  const deadlines = new Deadlines<Expiring>(clock, [items], (item) => {
    if (!items.delete(item)) return;
    expired.push(item.deadline);
    items.clear();
  });
  for (const deadline of [5, 6, 7]) {
    items.add({ deadline });
    deadlines.watch(deadline);
  }
  clock.advance(10);
  await nextRound();
  expect(expired).toEqual([5]);
});

test('an answer that is in the pipe already wins over a timer that comes late', async () => {
  const { clock, add, items, expired } = setup();
  const item = add(10);
  clock.advance(1000);
  // What a pipe does between the timers of a round and its end.
  items.delete(item);
  await nextRound();
  expect(expired).toEqual([]);
});

test('limits that are added while a sweep is due are seen', async () => {
  const { clock, add, expired } = setup();
  add(10);
  clock.advance(10);
  add(5);
  add(500);
  await nextRound();
  clock.advance(5);
  await nextRound();
  clock.advance(495);
  await nextRound();
  expect(expired).toEqual([10, 15, 510]);
});

test('nothing expires after the stop', async () => {
  const { clock, add, deadlines, expired } = setup();
  add(10);
  deadlines.stop();
  clock.advance(100);
  await nextRound();
  expect(expired).toEqual([]);
  expect(clock.waiting).toBe(0);
});

test('it can go on after a stop', async () => {
  const { clock, add, deadlines, expired } = setup();
  add(10);
  deadlines.stop();
  add(20);
  clock.advance(20);
  await nextRound();
  expect(expired).toEqual([10, 20]);
});

test('everything expires in the end and nothing before its time', async () => {
  const steps = fc.array(
    fc.record({ limit: fc.integer({ min: 0, max: 100 }), advance: fc.integer({ min: 0, max: 50 }) }),
  );
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const { clock, add, items, expired } = setup();
      for (const { limit, advance } of steps) {
        add(limit);
        clock.advance(advance);
        await nextRound();
        expect(expired.every((deadline) => deadline <= clock.now())).toBe(true);
        expect([...items].every(({ deadline }) => deadline > clock.now())).toBe(true);
      }
      clock.advance(100);
      await nextRound();
      expect(items.size).toBe(0);
      expect(clock.waiting).toBe(0);
    }),
    { numRuns: 50 },
  );
});

function setup() {
  const clock = fakeClock();
  const items = new Set<Expiring>();
  const expired: number[] = [];
  const deadlines = new Deadlines<Expiring>(clock, [items], (item) => {
    items.delete(item);
    expired.push(item.deadline);
  });
  const add = (limitMs: number) => {
    const item = { deadline: clock.now() + limitMs };
    items.add(item);
    deadlines.watch(item.deadline);
    return item;
  };
  return { clock, items, expired, deadlines, add };
}
