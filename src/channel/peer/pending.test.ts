import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OpenExchange } from './exchange.ts';
import { PendingExchanges } from './pending.ts';

const MAX_ID = 0x7fffffff;

test('ids count from 1', () => {
  const pending = new PendingExchanges();
  expect(add(pending, 5).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  expect(pending.size).toBe(5);
});

test('an exchange is found by its id until it is removed, once', () => {
  const pending = new PendingExchanges();
  const [first, second] = add(pending, 2);
  expect(pending.get(1)).toBe(first);
  expect(pending.get(2)).toBe(second);
  expect(first !== undefined && pending.remove(first)).toBe(true);
  expect(first !== undefined && pending.remove(first)).toBe(false);
  expect(pending.get(1)).toBeUndefined();
  expect(pending.get(2)).toBe(second);
  expect([...pending]).toEqual([second]);
});

test.each([0, -1, 1.5, NaN, Infinity, 17, 2 ** 31 + 1, 2 ** 32 + 1, '1', null, undefined, {}])(
  'nothing is found under %s, which shares a slot with 1 at most',
  (id) => {
    const pending = new PendingExchanges();
    add(pending, 1);
    expect(pending.get(id)).toBeUndefined();
  },
);

test('ids go on at 1 after 2^31 - 1', () => {
  const pending = new PendingExchanges(MAX_ID - 2);
  expect(add(pending, 4).map(({ id }) => id)).toEqual([MAX_ID - 1, MAX_ID, 1, 2]);
});

test('a call that takes long keeps its id while millions of others come and go', () => {
  const pending = new PendingExchanges();
  const [slow, slower] = add(pending, 2);
  const ids = new Set<number>();
  for (let i = 0; i < 100_000; i++) {
    for (const exchange of add(pending, 3)) {
      ids.add(exchange.id);
      pending.remove(exchange);
    }
  }
  expect(ids.size).toBe(300_000);
  expect(pending.get(1)).toBe(slow);
  expect(pending.get(2)).toBe(slower);
  expect([...pending]).toEqual([slow, slower]);
});

test('a call that takes long is stepped over, also after the ids went round', () => {
  const pending = new PendingExchanges(MAX_ID - 1);
  const slow = add(pending, 2);
  expect(slow.map(({ id }) => id)).toEqual([MAX_ID, 1]);
  // The ring has 16 slots, so that 15 and 17 would fall on the slots of these two.
  const ids = Array.from({ length: 30 }, () => {
    const [quick] = add(pending, 1);
    if (quick !== undefined) pending.remove(quick);
    return quick?.id;
  });
  expect(ids.slice(0, 16)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 19]);
  expect([pending.get(MAX_ID), pending.get(1)]).toEqual(slow);
});

test('knows which ids were given out', () => {
  const pending = new PendingExchanges();
  add(pending, 3);
  expect([0, 1, 3, 4, 1.5, '1', null].map((id) => pending.wasIssued(id))).toEqual([
    false,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('after the ids went round, all of them were given out', () => {
  const pending = new PendingExchanges(MAX_ID);
  add(pending, 2);
  expect([1, 2, 3, MAX_ID].map((id) => pending.wasIssued(id))).toEqual([true, true, true, true]);
});

test('agrees with a Map through any sequence of additions and removals', () => {
  const steps = fc.array(
    fc.oneof({ weight: 3, arbitrary: fc.constant(-1) }, { weight: 2, arbitrary: fc.nat() }),
    {
      maxLength: 300,
    },
  );
  fc.assert(
    fc.property(steps, fc.constantFrom(0, MAX_ID - 20), (steps, lastId) => {
      const pending = new PendingExchanges(lastId);
      const model = new Map<number, OpenExchange>();
      for (const step of steps) {
        if (step === -1) {
          const [exchange] = add(pending, 1);
          if (exchange !== undefined) model.set(exchange.id, exchange);
        } else {
          const exchange = [...model.values()][step % (model.size || 1)];
          if (exchange !== undefined && pending.remove(exchange)) model.delete(exchange.id);
        }
      }
      expect(pending.size).toBe(model.size);
      expect([...pending].toSorted((a, b) => a.id - b.id)).toEqual(
        [...model.values()].toSorted((a, b) => a.id - b.id),
      );
      for (const [id, exchange] of model) expect(pending.get(id)).toBe(exchange);
    }),
  );
});

function add(pending: PendingExchanges, count: number): OpenExchange[] {
  return Array.from({ length: count }, () => {
    const exchange = new OpenExchange(
      { release: () => true, listenerThrew: () => {} },
      'method',
      0,
      Infinity,
    );
    pending.add(exchange);
    return exchange;
  });
}
