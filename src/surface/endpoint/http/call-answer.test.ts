import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { fakeClock } from '../../../testing/fake-clock.ts';
import { CallAnswer } from './call-answer.ts';

const SLOW_MS = 30_000;
const message = { method: 'notifications/message', params: { data: 'x'.repeat(64 * 1024) } };

function unread() {
  // Nothing takes what is written to it.
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const clock = fakeClock();
  const answer = new CallAnswer({ response, sessionId: 's', slowMs: SLOW_MS, clock });
  const told = Array.from({ length: 20 }, () => answer.tell({ jsonrpc: '2.0', ...message }));
  return { response, clock, told };
}

test('a client that does not read is waited for once, however much it is told', () => {
  const { response } = unread();
  expect(response.listenerCount('drain')).toBe(1);
});

test.each(['drain', 'close'])(
  'who tells it something waits until it has read, or has gone: %s',
  async (event) => {
    const { response, told } = unread();
    expect(new Set(told).size).toBe(1);
    response.emit(event);
    await expect(told[0]).resolves.toBeUndefined();
  },
);

test('a client that reads again is waited for anew, one that does not is cut off', () => {
  const { response, clock } = unread();
  clock.advance(SLOW_MS - 1);
  response.emit('drain');
  expect(response.listenerCount('drain')).toBe(0);
  clock.advance(SLOW_MS - 1);
  expect(response.destroyed).toBe(false);
  clock.advance(SLOW_MS);
  expect(response.destroyed).toBe(true);
});
