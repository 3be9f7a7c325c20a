import { expect, test } from 'vitest';
import type { Answer, CallSink } from '../definition/outcome.ts';
import { KeptSession } from './talk-tool.ts';

const kept: Answer = { ok: true, text: 'go on', keepSession: true };
const done: Answer = { ok: true, text: 'done' };

test('is that of the call that began last', () => {
  const session = new KeptSession();
  const first = call(session);
  const second = call(session);
  first.sink.end(kept);
  // Nobody could go on with it.
  expect(first.answers).toEqual([{ ok: true, text: 'go on' }]);
  expect(say(session).refusal).toMatchObject({ code: 'NOT_TALKING' });
  second.sink.end(kept);
  expect(second.answers).toEqual([kept]);
  expect(say(session).refusal).toBeUndefined();
});

test('ends when something else is asked, also in the middle of an answer', () => {
  const session = new KeptSession();
  call(session).sink.end(kept);
  const said = say(session);
  session.leave();
  said.sink?.end(kept);
  expect(said.answers).toEqual([{ ok: true, text: 'go on' }]);
  expect(say(session).refusal).toMatchObject({ code: 'NOT_TALKING' });
});

test('takes one thing at a time', () => {
  const session = new KeptSession();
  call(session).sink.end(kept);
  const said = say(session);
  expect(say(session).refusal).toMatchObject({ code: 'RATE_LIMITED' });
  said.sink?.end(done);
  expect(said.answers).toEqual([done]);
  expect(say(session).refusal).toMatchObject({ code: 'NOT_TALKING' });
});

test('goes on after something was taken back, and ends with a failure', () => {
  const session = new KeptSession();
  call(session).sink.end(kept);
  say(session).sink?.end({ ok: false, error: { code: 'CALL_CANCELLED', message: 'Never mind.' } });
  const said = say(session);
  expect(said.refusal).toBeUndefined();
  said.sink?.end({ ok: false, error: { code: 'TOOL_FAILED', message: 'No.' } });
  expect(say(session).refusal).toMatchObject({ code: 'NOT_TALKING' });
});

test('leaves alone what is said meanwhile, and how long it may take', async () => {
  const session = new KeptSession();
  const events: unknown[] = [];
  let waits = 0;
  const sink = session.begin({
    event: (event) => events.push(event),
    drained: async () => void (waits += 1),
    deadline: 7,
    end: () => {},
  });
  sink.event({ kind: 'text', text: 'a' });
  await sink.drained?.();
  expect({ events, waits, deadline: sink.deadline }).toEqual({
    events: [{ kind: 'text', text: 'a' }],
    waits: 1,
    deadline: 7,
  });
});

function call(session: KeptSession) {
  const { sink, answers } = listener();
  return { sink: session.begin(sink), answers };
}

function say(session: KeptSession) {
  const { sink, answers } = listener();
  const heard = session.say(sink);
  return 'code' in heard ? { refusal: heard, answers } : { sink: heard, answers };
}

function listener() {
  const answers: Answer[] = [];
  const sink: CallSink = { event: () => {}, end: (answer) => void answers.push(answer) };
  return { sink, answers };
}
