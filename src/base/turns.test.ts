import { expect, test } from 'vitest';
import { createInTurns, createTurns } from './async.ts';

test('turns come in order, one per round of the event loop', async () => {
  const takeTurn = createTurns();
  const log: string[] = [];
  let rounds = 0;
  const count = () => {
    rounds += 1;
    if (rounds < 10) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      await takeTurn();
      log.push(`${name}${rounds}`);
    }),
  );
  const [first, second, third] = log.map((entry) => Number(entry.slice(1)));
  expect(log.map((entry) => entry[0])).toEqual(['a', 'b', 'c']);
  expect(second).toBeGreaterThan(first ?? Infinity);
  expect(third).toBeGreaterThan(second ?? Infinity);
});

test('work beyond the limit of a turn waits for the next ones, one piece each, in order', async () => {
  let now = 0;
  let turn = 0;
  const inTurns = createInTurns(10, () => now);
  const seen: [piece: number, turn: number][] = [];
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const results = Array.from({ length: 5 }, (_, piece) =>
    inTurns(() => {
      now += 6;
      seen.push([piece, turn]);
      return piece;
    }),
  );
  // The first two are within the limit, and need no promise.
  expect(results.slice(0, 2)).toEqual([0, 1]);
  for (const [piece, result] of results.entries()) expect(await result).toBe(piece);
  isOver = true;
  expect(seen.map(([piece]) => piece)).toEqual([0, 1, 2, 3, 4]);
  expect(new Set(seen.slice(2).map(([, at]) => at)).size).toBe(3);
});
