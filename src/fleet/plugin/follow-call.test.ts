import { expect, test } from 'vitest';
import type { CallEvent } from '../../definition/outcome.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import type { Call } from './call.ts';
import { followCall } from './follow-call.ts';
import { HeldCall } from './held-call.ts';

const text = (said: string): CallEvent => ({ kind: 'text', text: said });

const held = () => new HeldCall({ id: 'c', tool: 'tell', clock: fakeClock(), onCancel: () => {} });

/** One that can only be iterated. */
function plain(call: HeldCall): Call {
  const { id, tool, outcome } = call;
  return {
    id,
    tool,
    outcome,
    // oxlint-disable-next-line unicorn/no-thenable -- a call is awaited for its outcome
    then: (...taken) => outcome.then(...taken),
    cancel: (reason) => call.cancel(reason),
    [Symbol.asyncIterator]: () => call[Symbol.asyncIterator](),
  };
}

test.each([
  ['tells by itself', (call: HeldCall) => call],
  ['is iterated', plain],
])(
  'what a call says is heard in order, from its beginning on, before its outcome: one that %s',
  async (_, made) => {
    const call = held();
    call.event(text('a'));
    const heard: CallEvent[] = [];
    const followed = followCall(made(call), (event) => void heard.push(event));
    call.event(text('b'));
    call.end({ ok: true });
    call.event(text('late'));
    expect(await followed).toMatchObject({ ok: true });
    expect(heard).toEqual([text('a'), text('b')]);
  },
);

test.each([
  ['tells by itself', (call: HeldCall) => call],
  ['is iterated', plain],
])('a listener that throws harms nobody but who follows: one that %s', async (_, made) => {
  const call = held();
  const followed = followCall(made(call), () => {
    throw new Error('no room');
  });
  call.event(text('a'));
  call.event(text('b'));
  call.end({ ok: true, text: 'done' });
  await expect(followed).rejects.toThrow('no room');
  expect(await call).toMatchObject({ ok: true, text: 'done' });
});
