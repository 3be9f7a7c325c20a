import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

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
