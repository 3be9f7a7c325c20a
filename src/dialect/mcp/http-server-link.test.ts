import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { HttpReply } from './http-server-link.ts';

const SLOW_MS = 30_000;
const message = JSON.stringify({ data: 'x'.repeat(64 * 1024) });

function unread() {
  // Nothing takes what is written to it.
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const clock = fakeClock();
  const reply = new HttpReply({ response, headers: () => ({}), slowMs: SLOW_MS, clock });
  const waits = Array.from({ length: 20 }, () => {
    reply.event(message);
    return reply.drained;
  });
  return { response, clock, waits };
}

test('a client that does not read is waited for once, however much it is sent', () => {
  const { response } = unread();
  expect(response.listenerCount('drain')).toBe(1);
});

test.each(['drain', 'close'])('the sender waits until it has read, or has gone: %s', async (event) => {
  const { response, waits } = unread();
  expect(new Set(waits).size).toBe(1);
  response.emit(event);
  await expect(waits[0]).resolves.toBeUndefined();
});

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

test('everyone who waits learns that the client has gone', () => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const options = { response, headers: () => ({}), slowMs: SLOW_MS, clock: fakeClock(), answers: 3 };
  const reply = new HttpReply(options);
  const left: number[] = [];
  reply.whenGivenUp(() => left.push(1));
  reply.whenGivenUp(() => left.push(2));
  response.emit('close');
  reply.whenGivenUp(() => left.push(3));
  expect(left).toEqual([1, 2, 3]);
  expect(reply.isGivenUp).toBe(true);
});

test('several answers go out as events, and the last one ends the stream', () => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const written: string[] = [];
  response.write = (text: string) => written.push(text) > 0;
  response.end = ((text?: string) => (written.push(text ?? ''), response)) as ServerResponse['end'];
  const reply = new HttpReply({
    response,
    headers: () => ({}),
    slowMs: SLOW_MS,
    clock: fakeClock(),
    answers: 2,
  });
  reply.answer('{"id":1}');
  reply.answer('{"id":2}');
  expect(written).toEqual(['event: message\ndata: {"id":1}\n\n', 'event: message\ndata: {"id":2}\n\n']);
  expect(response.getHeader('content-type') ?? 'text/event-stream').toBe('text/event-stream');
});
