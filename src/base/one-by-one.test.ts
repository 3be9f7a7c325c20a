import { expect, test } from 'vitest';
import { deferred, oneByOne } from './async.ts';

test('the next begins when the one before has ended, also badly', async () => {
  const inTurn = oneByOne();
  const begun: string[] = [];
  const gate = deferred<string>();
  const first = inTurn(() => {
    begun.push('first');
    return gate.promise;
  });
  const second = inTurn(async () => {
    begun.push('second');
    throw new Error('bad');
  });
  const third = inTurn(async () => begun.push('third'));
  await Promise.resolve();
  expect(begun).toEqual(['first']);
  gate.resolve('done');
  await expect(first).resolves.toBe('done');
  await expect(second).rejects.toThrow('bad');
  await expect(third).resolves.toBe(3);
});
