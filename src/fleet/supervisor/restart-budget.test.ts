import { expect, test } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { isWorthAnotherTry, RestartBudget } from './restart-budget.ts';

test('delays double up to their limit, and five restarts within three minutes are all', () => {
  const clock = fakeClock();
  const budget = new RestartBudget({}, clock, () => 1);
  const delays = Array.from({ length: 6 }, () => budget.afterFailure(0));
  expect(delays).toEqual([200, 400, 800, 1600, 3200, undefined]);
  clock.advance(180_000);
  expect(budget.afterFailure(0)).toBe(6400);
});

test('no delay is longer than the longest, however often it fails', () => {
  const clock = fakeClock();
  const budget = new RestartBudget({ max: 2000, maxDelayMs: 1000 }, clock, () => 1);
  for (let i = 0; i < 1500; i++) expect(budget.afterFailure(0)).toBeLessThanOrEqual(1000);
});

test.each([
  [0, 100],
  [0.5, 150],
  [1, 200],
])('half of a delay is chance: %d gives %d ms', (chance, delayMs) => {
  expect(new RestartBudget({}, fakeClock(), () => chance).afterFailure(0)).toBe(delayMs);
});

test('after a stable time all is forgotten', () => {
  const budget = new RestartBudget({ stableMs: 60_000 }, fakeClock(), () => 1);
  for (let i = 0; i < 5; i++) budget.afterFailure(59_999);
  expect(budget.afterFailure(59_999)).toBeUndefined();
  expect(budget.afterFailure(60_000)).toBe(200);
});

test('restarts that are long ago do not count', () => {
  const clock = fakeClock();
  const budget = new RestartBudget({ max: 2, withinMs: 1000 }, clock, () => 1);
  expect(budget.afterFailure(0)).toBeDefined();
  clock.advance(600);
  expect(budget.afterFailure(0)).toBeDefined();
  expect(budget.afterFailure(0)).toBeUndefined();
  clock.advance(400);
  expect(budget.afterFailure(0)).toBeDefined();
});

test.each(['PLUGIN_EXITED', 'START_TIMEOUT', 'START_FAILED', 'WATCHDOG_KILLED'] as const)(
  'a start that ended with %s is tried again',
  (code) => expect(isWorthAnotherTry(code)).toBe(true),
);

test.each(['PROGRAM_NOT_FOUND', 'UNSUPPORTED_PROTOCOL', 'PROTOCOL_VIOLATION', 'DIALECT_UNKNOWN'] as const)(
  'a start that ended with %s is not',
  (code) => expect(isWorthAnotherTry(code)).toBe(false),
);
