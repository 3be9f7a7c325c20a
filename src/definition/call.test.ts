import { expect, test } from 'vitest';
import type { CallEvent } from './outcome.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { EVENTS_MAX, followCall, PendingCall, type Call } from './call.ts';

test('it is awaited for its outcome, with how long it took', async () => {
  const { call, clock } = held();
  clock.advance(25);
  call.end({ ok: true, text: 'done' });
  expect(await call).toEqual({ ok: true, text: 'done', durationMs: 25 });
  expect(await call.outcome).toEqual(await call);
  expect(call.isSettled).toBe(true);
});

test('it ends once: later events are dropped', async () => {
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
  // The iteration waits for the next one by now.
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

test('cancelled, it has an outcome at once, with the text so far, and its owner is notified', async () => {
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

test('one that fails without events has no text', async () => {
  const { call, cancelled } = held();
  call.fail({ code: 'TOOL_FAILED', message: 'no' });
  expect(await call).toEqual({ ok: false, error: { code: 'TOOL_FAILED', message: 'no' }, durationMs: 0 });
  expect(cancelled).toEqual([]);
});

test('one with too many events is given up', async () => {
  const { call, cancelled } = held();
  const text = 'x'.repeat(EVENTS_MAX / 8);
  for (let count = 0; count < 8 && !call.isSettled; count++) call.event({ kind: 'text', text });
  expect(await call).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
  expect(cancelled).toHaveLength(1);
});

const text = (said: string): CallEvent => ({ kind: 'text', text: said });

/** Another call that passes it on. */
function passedOn(call: PendingCall): Call {
  const { call: outer } = held();
  outer.passOn(call);
  void call.outcome.then((outcome) => outer.end(outcome));
  return outer;
}

test.each([
  ['itself', (call: PendingCall) => call],
  ['passed on', passedOn],
])('the events of a call come in order, from its beginning on, before its outcome: %s', async (_, made) => {
  const { call } = held();
  call.event(text('a'));
  const heard: CallEvent[] = [];
  const followed = followCall(made(call), (event) => void heard.push(event));
  call.event(text('b'));
  call.end({ ok: true });
  call.event(text('late'));
  expect(await followed).toMatchObject({ ok: true });
  expect(heard).toEqual([text('a'), text('b')]);
});

test.each([
  ['itself', (call: PendingCall) => call],
  ['passed on', passedOn],
])('a listener that throws fails only the one who follows: %s', async (_, made) => {
  const { call } = held();
  const followed = followCall(made(call), () => {
    throw new Error('no room');
  });
  call.event(text('a'));
  call.event(text('b'));
  call.end({ ok: true, text: 'done' });
  await expect(followed).rejects.toThrow('no room');
  expect(await call).toMatchObject({ ok: true, text: 'done' });
});

test('a call that passes another on keeps no events: those before and after are read from the other', async () => {
  const { call: inner } = held();
  const { call: outer, cancelled } = held();
  const early: CallEvent[] = [];
  outer.onEvent((event) => early.push(event));
  const iterated = eventsOf(outer);
  inner.event(text('a'));
  outer.passOn(inner);
  inner.event(text('b'));
  outer.cancel('Enough.');
  inner.event(text('after the end'));
  expect(await outer).toMatchObject({ ok: false, text: 'ab', error: { code: 'CALL_CANCELLED' } });
  expect(cancelled).toEqual(['Enough.']);
  expect(early).toEqual([text('a'), text('b')]);
  expect(await iterated).toEqual(early);
});

test('who stops to iterate is not followed any more', async () => {
  const { call } = held();
  call.event(text('a'));
  for await (const event of call) {
    expect(event).toEqual(text('a'));
    break;
  }
  call.end({ ok: true });
  expect(await eventsOf(call)).toEqual([text('a')]);
});

function held() {
  const clock = fakeClock();
  const cancelled: string[] = [];
  const call = new PendingCall({
    id: 'call-1',
    tool: 'sample',
    clock,
    onCancel: (reason) => void cancelled.push(reason),
  });
  return { call, clock, cancelled };
}

async function eventsOf(call: PendingCall): Promise<CallEvent[]> {
  const events: CallEvent[] = [];
  for await (const event of call) events.push(event);
  return events;
}
