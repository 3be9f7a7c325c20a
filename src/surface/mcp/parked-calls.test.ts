import { expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { PendingCall } from '../../definition/call.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { ClientCall } from './client-call.ts';
import { ParkedCalls } from './connection.ts';

function clientCall() {
  const held = new PendingCall({ id: '1', tool: 't', clock: systemClock, onCancel: () => {} });
  const call = new ClientCall({
    clock: systemClock,
    plugin: 'p',
    answerMs: 1000,
    unable: () => undefined,
    begin: () => held,
  });
  return { call, held };
}

it('who comes back gets the call, once, and nobody else does', () => {
  const parked = new ParkedCalls(fakeClock(), 1000);
  const { call } = clientCall();
  const state = parked.park(call, 'me');
  expect(parked.take(state, 'you')).toBeUndefined();
  expect(parked.take(state, 'me')).toBe(call);
  expect(parked.take(state, 'me')).toBeUndefined();
});

it('a call whose client does not come back is given up', async () => {
  const clock = fakeClock();
  const parked = new ParkedCalls(clock, 1000);
  const { call, held } = clientCall();
  parked.park(call, 'me');
  clock.advance(1000);
  expect(await held).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  expect(parked.size).toBe(0);
});

it('of too many the oldest is given up, and all at the end', async () => {
  const parked = new ParkedCalls(fakeClock(), 1000);
  const calls = Array.from({ length: 1001 }, () => clientCall());
  for (const { call } of calls) parked.park(call, 'me');
  expect(parked.size).toBe(1000);
  expect(calls[0]?.held.isSettled).toBe(true);
  parked.close();
  expect(calls.every(({ held }) => held.isSettled)).toBe(true);
});
