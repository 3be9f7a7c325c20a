import { expect, it } from 'vitest';
import { deferred } from '../../base/async.ts';
import type { Json } from '../../base/json.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { pausingLimit } from './open-call.ts';

const question = { kind: 'elicit', params: {} } as const;
const { signal } = new AbortController();

function limited(leftMs: number) {
  const clock = fakeClock();
  const call = { deadline: leftMs };
  const watched: number[] = [];
  const answer = deferred<Json>();
  const owner = { clock, watch: ({ deadline }: { deadline: number }) => void watched.push(deadline) };
  return { clock, call, watched, answer, asker: pausingLimit({ ask: () => answer.promise }, call, owner) };
}

it('while somebody thinks the limit does not run; then what was left of it does', async () => {
  const { clock, call, watched, answer, asker } = limited(1000);
  clock.advance(400);
  const asked = asker.ask(question, signal);
  expect(call.deadline).toBe(Infinity);
  clock.advance(60_000);
  answer.resolve('yes');
  expect(await asked).toBe('yes');
  expect(call.deadline).toBe(61_000);
  expect(watched).toEqual([61_000]);
});

it('a question that fails gives the time back too, unless the call is over meanwhile', async () => {
  const { call, answer, asker } = limited(1000);
  const asked = asker.ask(question, signal);
  call.deadline = 5;
  answer.reject(new Error('no'));
  await expect(asked).rejects.toThrow('no');
  expect(call.deadline).toBe(5);
});
