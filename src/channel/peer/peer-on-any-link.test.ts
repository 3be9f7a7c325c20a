// A link need not be a pipe: it may answer while it is being written to, and have room a moment before it says so.
import { getEventListeners } from 'node:events';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import type { Ending } from '../bytes/pipe.ts';
import type { Link, LinkListener } from '../link/link.ts';
import type { Message, Received } from '../message/message.ts';
import { Peer } from './peer.ts';

test('an answer that comes while the request is being sent is taken, and the signal is let go of', async () => {
  const link = new HandMadeLink();
  link.onSend = (message) => {
    if (message.kind === 'request') link.deliver({ kind: 'success', id: message.id, result: 'at once' });
  };
  const peer = new Peer(link);
  const { signal } = new AbortController();
  expect(await peer.request('work', undefined, { signal, timeoutMs: 1000 })).toBe('at once');
  expect(await peer.open('work', undefined, { signal }).result).toBe('at once');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(peer.stats()).toMatchObject({ inFlight: 0, requestsSent: 2, responsesReceived: 2 });
});

test('requests that wait are answered at once one after the other, without a deep stack', async () => {
  const link = new HandMadeLink();
  const peer = new Peer(link, { maxInFlight: 1 });
  const calls = Array.from({ length: 20_000 }, (_, i) => peer.request('work', [i]));
  link.onSend = (message) => {
    if (message.kind === 'request') link.deliver({ kind: 'success', id: message.id, result: 'at once' });
  };
  link.deliver({ kind: 'success', id: 1, result: 'at last' });
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20_000);
});

test('a request does not pass one that waits, though there is room already', async () => {
  const link = new HandMadeLink();
  const peer = new Peer(link);
  link.hasRoom = false;
  void peer.request('first').catch(() => {});
  link.hasRoom = true;
  void peer.request('second').catch(() => {});
  link.tellRoom();
  await nextRound();
  expect(link.sent).toMatchObject([{ method: 'first' }, { method: 'second' }]);
});

test('a request that is sent at the last moment is not given up as well', async () => {
  const clock = fakeClock();
  const link = new HandMadeLink();
  const peer = new Peer(link, { clock, maxInFlight: 1 });
  const first = peer.request('first', undefined, { timeoutMs: 100 });
  link.hasRoom = false;
  const second = peer.request('second', undefined, { timeoutMs: 100 });
  link.hasRoom = true;
  // Both are due; the end of the first makes room for the second before its own end is looked at.
  clock.advance(100);
  await expect(first).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
  expect(peer.stats()).toMatchObject({ inFlight: 1, waiting: 0, timeouts: 1 });
  link.deliver({ kind: 'success', id: 2, result: 'in time' });
  expect(await second).toBe('in time');
});

test('a request that comes later gives up later', async () => {
  const clock = fakeClock();
  const link = new HandMadeLink();
  const peer = new Peer(link, { clock });
  link.hasRoom = false;
  const early = peer.request('early', undefined, { timeoutMs: 1000 });
  clock.advance(500);
  const late = peer.request('late', undefined, { timeoutMs: 1000 });
  clock.advance(500);
  await expect(early).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
  expect(peer.stats().waiting).toBe(1);
  clock.advance(499);
  await nextRound();
  expect(peer.stats().waiting).toBe(1);
  clock.advance(1);
  await expect(late).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
});

test('an end that reads slowly is not given up, one that stops reading is', async () => {
  const clock = fakeClock();
  const link = new HandMadeLink();
  const peer = new Peer(link, { clock, stallTimeoutMs: 1000 });
  peer.handle('read', () => 'text');
  link.isFull = true;
  for (const id of [1, 2]) link.deliver({ kind: 'request', id, method: 'read', params: undefined });
  expect(link.sent).toEqual([]);
  // It has read a little, and there is room for one.
  link.isFull = false;
  link.onSend = () => (link.isFull = true);
  clock.advance(1000);
  expect(link.sent).toMatchObject([{ id: 1 }]);
  link.isFull = false;
  clock.advance(1000);
  expect(link.sent).toMatchObject([{ id: 1 }, { id: 2 }]);
  link.deliver({ kind: 'request', id: 3, method: 'read', params: undefined });
  clock.advance(1000);
  expect(await peer.closed).toMatchObject({ kind: 'failed', error: { code: 'PIPE_FULL' } });
});

test('a link that fails to send keeps nothing under way', async () => {
  const link = new HandMadeLink();
  const peer = new Peer(link);
  link.onSend = () => {
    throw new Error('no wire');
  };
  await expect(peer.request('work')).rejects.toThrow('no wire');
  expect(() => peer.open('work')).toThrow('no wire');
  await expect(peer.batch([{ method: 'work' }])).rejects.toThrow('no wire');
  expect(() => peer.notify('work')).toThrow('no wire');
  expect(peer.stats()).toMatchObject({ inFlight: 0, requestsSent: 0, notificationsSent: 0 });
});

test('an answer that cannot be sent in any form does not end the peer', async () => {
  const link = new HandMadeLink();
  const peer = new Peer(link);
  peer.handle('work', () => 'done');
  link.onSend = () => {
    throw new Error('no wire');
  };
  link.deliver({ kind: 'request', id: 1, method: 'work', params: undefined });
  link.onSend = () => {};
  link.deliver({ kind: 'request', id: 2, method: 'work', params: undefined });
  expect(link.sent.at(-1)).toMatchObject({ kind: 'success', id: 2 });
});

class HandMadeLink implements Link {
  readonly sent: Message[] = [];
  hasRoom = true;
  isFull = false;
  paused = false;
  onSend: (message: Message) => unknown = () => {};
  #listener: LinkListener | undefined;
  #tellRoom = () => {};

  open(listener: LinkListener): void {
    this.#listener = listener;
  }

  deliver(message: Received): void {
    this.#listener?.chunkStart(100);
    this.#listener?.message(message);
  }

  send(message: Message): boolean {
    this.onSend(message);
    this.sent.push(message);
    return this.hasRoom;
  }

  /** Lets `drained()` resolve. */
  tellRoom(): void {
    this.#tellRoom();
  }

  drained(): Promise<void> {
    return new Promise((resolve) => (this.#tellRoom = resolve));
  }

  unwritable(): Promise<void> {
    return new Promise(() => {});
  }

  finish(): Promise<void> {
    return Promise.resolve();
  }

  destroy(ending: Ending = { kind: 'closed' }): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.end(ending);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }
}
