import { expect, test } from 'vitest';
import { latest } from './latest.ts';

test('many questions in a row become two', async () => {
  let asked = 0;
  const ask = latest(async () => {
    asked += 1;
    await Promise.resolve();
  });
  await Promise.all([ask(), ask(), ask(), ask()]);
  expect(asked).toBe(2);
  await ask();
  expect(asked).toBe(3);
});

test('a failure is told, and the next question is asked', async () => {
  let isBroken = true;
  const ask = latest(() => (isBroken ? Promise.reject(new Error('no')) : Promise.resolve()));
  await expect(ask()).rejects.toThrow('no');
  isBroken = false;
  await expect(ask()).resolves.toBeUndefined();
});
