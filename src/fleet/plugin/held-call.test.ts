import { expect, test } from 'vitest';
import type { CallEvent } from '../../definition/outcome.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { HeldCall } from './held-call.ts';
import { SAID_MAX } from './said.ts';

test('it is awaited for its outcome, with how long it took', async () => {
  const { call, clock } = held();
  clock.advance(25);
  call.end({ ok: true, text: 'done' });
  expect(await call).toEqual({ ok: true, text: 'done', durationMs: 25 });
  expect(await call.outcome).toEqual(await call);
  expect(call.isSettled).toBe(true);
});

test('it ends once: what comes later is heard by nobody', async () => {
  const { call, cancelled } = held();
  call.end({ ok: true, text: 'first' });
  call.end({ ok: true, text: 'second' });
  call.event({ kind: 'text', text: 'late' });
  call.cancel();
  expect(await call).toMatchObject({ ok: true, text: 'first' });
  expect(await eventsOf(call)).toEqual([]);
  expect(cancelled).toEqual([]);
});

test('all who iterate get all events, from whenever they begin', async () => {
  const { call } = held();
  const early = eventsOf(call);
  call.event({ kind: 'text', text: 'a' });
  // Somebody waits for the next one by now.
  await new Promise(setImmediate);
  call.event({ kind: 'progress', progress: 1 });
  call.end({ ok: true });
  const all = [
    { kind: 'text', text: 'a' },
    { kind: 'progress', progress: 1 },
  ];
  expect(await early).toEqual(all);
  expect(await eventsOf(call)).toEqual(all);
});

test('who gives it up has an outcome at once, with what was said, and whoever works on it hears of it', async () => {
  const { call, cancelled } = held();
  call.event({ kind: 'text', text: 'so ' });
  call.event({ kind: 'log', level: 'info', message: 'not said' });
  call.event({ kind: 'text', text: 'far' });
  call.cancel('Enough.');
  expect(await call).toMatchObject({
    ok: false,
    text: 'so far',
    error: { code: 'CALL_CANCELLED', message: 'Enough.' },
  });
  expect(cancelled).toEqual(['Enough.']);
});

test('one that fails without a word has no text', async () => {
  const { call, cancelled } = held();
  call.fail({ code: 'TOOL_FAILED', message: 'no' });
  expect(await call).toEqual({ ok: false, error: { code: 'TOOL_FAILED', message: 'no' }, durationMs: 0 });
  expect(cancelled).toEqual([]);
});

test('one that says more than anybody can keep is given up', async () => {
  const { call, cancelled } = held();
  const text = 'x'.repeat(SAID_MAX / 8);
  for (let count = 0; count < 8 && !call.isSettled; count++) call.event({ kind: 'text', text });
  expect(await call).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
  expect(cancelled).toHaveLength(1);
});

function held() {
  const clock = fakeClock();
  const cancelled: string[] = [];
  const call = new HeldCall({
    id: 'call-1',
    tool: 'sample',
    clock,
    onCancel: (reason) => void cancelled.push(reason),
  });
  return { call, clock, cancelled };
}

async function eventsOf(call: HeldCall): Promise<CallEvent[]> {
  const events: CallEvent[] = [];
  for await (const event of call) events.push(event);
  return events;
}
