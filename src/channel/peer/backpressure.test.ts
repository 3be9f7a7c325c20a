// What happens when the other end does not read: everything waits, within limits, and every wait ends.
import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  framingNames,
  framingOf,
  peerAndRawEnd,
  type RawEnd,
} from '../../../test/support/channel/raw-end.ts';
import { KiB } from '../../base/units.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { linkedPipes } from '../bytes/stream-pipe.ts';
import { framedLink } from '../link/framed-link.ts';
import { Peer } from './peer.ts';

const queue = { queueMark: 64 * KiB, queueLimit: 256 * KiB };
const piece = 'x'.repeat(10 * KiB);

describe.each(framingNames)('an other end that does not read, over %s', (framing) => {
  describe('notifications', () => {
    test('say false from the mark on, fail at the limit with the way out, and go on after it has read', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      raw.pause();
      const { allowed, accepted, error } = notifyUntilRefused(peer);
      expect(allowed * 10).toBeGreaterThanOrEqual(64);
      expect(accepted * 10).toBeGreaterThanOrEqual(256);
      expect(accepted * 10).toBeLessThan(256 + 64);
      expect(error).toMatchObject({
        code: 'PIPE_FULL',
        message:
          '262144 bytes wait in the pipe and the other end does not read them. ' +
          'When write() or notify() returns false, await drained() before sending more.',
      });
      raw.resume();
      await peer.drained();
      expect(peer.notify('last')).toBe(true);
      await raw.take(accepted);
      expect(await raw.next()).toMatchObject({ method: 'last' });
      expect(peer.stats().notificationsSent).toBe(accepted + 1);
    });

    test('a sender that waits when it is told to never fails', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      for (let i = 0; i < 500; i++) if (!peer.notify('piece', [i, piece])) await peer.drained();
      const received = (await raw.take(500)) as { params: unknown[] }[];
      expect(received.map(({ params }) => params[0])).toEqual(Array.from({ length: 500 }, (_, i) => i));
    });

    test('the wait for room ends when the pipe ends, with the reason', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      raw.pause();
      notifyUntilRefused(peer);
      const waits = [peer.drained(), peer.drained()];
      raw.destroy(new Error('read ECONNRESET'));
      for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: 'PIPE_ENDED' });
      await peer.closed;
    });

    test('the wait for room ends when this end closes', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      raw.pause();
      notifyUntilRefused(peer);
      const wait = peer.drained();
      await Promise.all([
        expect(wait).rejects.toMatchObject({ code: 'PIPE_ENDED' }),
        peer.close({ timeoutMs: 0 }),
      ]);
    });
  });

  describe('requests', () => {
    test('wait and are sent in their order when it reads again', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      raw.onMessage((message) =>
        raw.answer((message as { id: number }).id, (message as { method: string }).method),
      );
      raw.pause();
      const calls = Array.from({ length: 100 }, (_, i) => peer.request(`m${i}`, [piece]));
      const { inFlight, waiting } = peer.stats();
      expect(inFlight + waiting).toBe(100);
      expect(waiting).toBeGreaterThan(50);
      raw.resume();
      expect(await Promise.all(calls)).toEqual(Array.from({ length: 100 }, (_, i) => `m${i}`));
      expect(raw.received.map((message) => (message as { method: string }).method)).toEqual(
        Array.from({ length: 100 }, (_, i) => `m${i}`),
      );
      expect(peer.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
    });

    test('give up when their time limit passes before there is room', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { ...queue, clock });
      raw.pause();
      notifyUntilFull(peer);
      clock.advance(500);
      const patient = peer.request('patient');
      const short = peer.request('short', undefined, { timeoutMs: 100 });
      const long = peer.request('long', undefined, { timeoutMs: 1000 });
      expect(clock.waiting).toBe(1);
      clock.advance(100);
      await expect(short).rejects.toMatchObject({
        code: 'CALL_TIMEOUT',
        message:
          'A request could not be sent to the plugin within 100 ms: the pipe is full, as the other end does not read.',
      });
      clock.advance(900);
      await expect(long).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
      expect(peer.stats()).toMatchObject({ waiting: 1, timeouts: 2 });
      raw.onMessage((message) => raw.answer((message as { id?: number }).id, 'read at last'));
      raw.resume();
      expect(await patient).toBe('read at last');
    });

    test('their limit starts anew when there was room: then the other end does read', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { ...queue, clock, maxInFlight: 1 });
      raw.pause();
      notifyUntilFull(peer);
      const first = peer.request('first', undefined, { timeoutMs: 100 });
      const second = peer.request('second', undefined, { timeoutMs: 100 });
      clock.advance(90);
      await nextRound();
      raw.resume();
      await peer.drained();
      // Now they wait for their turn, which has no limit of its own.
      clock.advance(90);
      await nextRound();
      raw.onMessage((message) => raw.answer((message as { id?: number }).id, 'done'));
      for (const message of raw.received) {
        const { id } = message as { id?: number };
        if (id !== undefined) raw.answer(id, 'done');
      }
      expect(await Promise.all([first, second])).toEqual(['done', 'done']);
    });

    test('are given up by their signal', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      raw.pause();
      notifyUntilFull(peer);
      const controller = new AbortController();
      const call = peer.request('work', undefined, { signal: controller.signal });
      controller.abort();
      await expect(call).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
      expect(peer.stats()).toMatchObject({ waiting: 0, requestsSent: 0 });
    });

    test('fail with the reason when the pipe ends', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      raw.pause();
      notifyUntilFull(peer);
      const calls = [peer.request('a'), peer.request('b')];
      raw.destroy();
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'PIPE_ENDED' });
      expect(peer.stats()).toMatchObject({ waiting: 0, inFlight: 0 });
    });

    test('open and batch are refused at the limit, and leave nothing under way', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      raw.pause();
      notifyUntilRefused(peer);
      expect(() => peer.open('work')).toThrow('await drained()');
      await expect(peer.batch([{ method: 'work' }])).rejects.toMatchObject({ code: 'PIPE_FULL' });
      expect(peer.stats().inFlight).toBe(0);
    });

    test('calls that are given up while the pipe is full are over all the same', async () => {
      const clock = fakeClock();
      const cancel = {
        method: 'cancel',
        notification: (id: number) => ({ method: 'cancel', params: [id] }),
        idIn: () => undefined,
      };
      const { peer, raw } = peerAndRawEnd(framing, { ...queue, clock, cancel });
      const call = peer.request('work', undefined, { timeoutMs: 10 });
      await raw.next();
      raw.pause();
      notifyUntilRefused(peer);
      clock.advance(10);
      await expect(call).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
    });
  });

  describe('answers', () => {
    test('wait at the limit, further requests wait too, and all are answered when it reads again', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      let handled = 0;
      peer.handle('read', (params) => {
        handled += 1;
        return [...(params as unknown[]), piece];
      });
      raw.pause();
      sendRequests(raw, 0, 1000);
      expect(await whenItStops(() => peer.stats().requestsReceived)).toBe(1000);
      expect(handled * 10).toBeGreaterThanOrEqual(256);
      expect(handled * 10).toBeLessThan(256 + 64);
      expect(peer.stats().handling).toBe(1000 - handled);
      raw.resume();
      const answers = (await raw.take(1000)) as { id: number; result: unknown[] }[];
      expect(answers.every(({ id, result }) => result[0] === id)).toBe(true);
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1000);
      expect(peer.stats().handling).toBe(0);
    });

    test('reading stops when as many requests wait as may be handled', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { ...queue, maxHandling: 100 });
      peer.handle('read', () => piece);
      raw.pause();
      sendRequests(raw, 0, 1000);
      const taken = await whenItStops(() => peer.stats().requestsReceived);
      expect(taken).toBeGreaterThan(100);
      expect(taken).toBeLessThan(300);
      raw.resume();
      const answers = (await raw.take(1000)) as { result?: string; error?: { code: number } }[];
      const refused = answers.filter(({ error }) => error?.code === -32000).length;
      expect(answers.filter(({ result }) => result === piece)).toHaveLength(1000 - refused);
    });

    test('reading stops when the requests that wait are too large together', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      peer.handle('read', () => piece);
      raw.pause();
      sendRequests(raw, 0, 100);
      await whenItStops(() => peer.stats().requestsReceived);
      const text = 'x'.repeat(1024 * KiB);
      for (let id = 100; id < 125; id++) raw.send({ jsonrpc: '2.0', id, method: 'read', params: { text } });
      const taken = await whenItStops(() => peer.stats().requestsReceived);
      expect(taken).toBeGreaterThan(110);
      expect(taken).toBeLessThan(120);
      raw.resume();
      expect(await raw.take(125)).toHaveLength(125);
    });

    test('two ends that ask each other for more than the pipes hold do not lock each other', async () => {
      const ends = linkedPipes(queue).map((pipe) => new Peer(framedLink(pipe, framingOf(framing))));
      for (const peer of ends) peer.handle('read', (params) => [params, piece]);
      const calls = ends.flatMap((peer) => Array.from({ length: 500 }, (_, i) => peer.request('read', [i])));
      const [first] = await Promise.all(calls);
      expect(first).toEqual([[0], piece]);
      await Promise.all(ends.map((peer) => peer.close()));
    });

    test('nor do they with requests as large as the answers', async () => {
      const ends = linkedPipes(queue).map((pipe) => new Peer(framedLink(pipe, framingOf(framing))));
      for (const peer of ends) peer.handle('echo', (params) => params);
      const calls = ends.flatMap((peer) =>
        Array.from({ length: 500 }, (_, i) => peer.request('echo', [i, piece])),
      );
      const outcomes = await Promise.all(calls);
      expect(outcomes).toHaveLength(1000);
      await Promise.all(ends.map((peer) => peer.close()));
    });

    test('of handlers that were running wait as well', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      peer.handle('read', async (params) => {
        await released;
        return [...(params as unknown[]), piece];
      });
      raw.pause();
      sendRequests(raw, 0, 200);
      await whenItStops(() => peer.stats().handling);
      release();
      await whenItStops(() => peer.stats().handling);
      readSlowly(raw);
      const answers = (await raw.take(200)) as { id: number }[];
      expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, id) => id));
    });

    test('keep their order when the pipe fills up again and again, and one is a batch that is sent in pieces', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { ...queue, sendLimit: 100 * KiB });
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      peer.handle('read', async (params) => {
        await released;
        return [...(params as unknown[]), piece];
      });
      raw.pause();
      sendRequests(raw, 0, 50);
      raw.send(
        Array.from({ length: 50 }, (_, i) => ({ jsonrpc: '2.0', id: 50 + i, method: 'read', params: [] })),
      );
      sendRequests(raw, 100, 50);
      await whenItStops(() => peer.stats().handling);
      release();
      await whenItStops(() => peer.stats().handling);
      readSlowly(raw);
      const answers = (await raw.take(150)) as { id: number }[];
      const ids = answers.map(({ id }) => id);
      const whole = ids.findIndex((id) => id >= 50 && id < 100);
      expect(ids.slice(whole, whole + 50)).toEqual(Array.from({ length: 50 }, (_, i) => 50 + i));
      const alone = ids.filter((id) => id < 50 || id >= 100);
      expect(alone).toEqual([...alone].sort((a, b) => a - b));
      expect(alone).toHaveLength(100);
    });

    test('that nobody can read any more are dropped, and what still comes is read to its end', async () => {
      const { peer, raw } = peerAndRawEnd(framing, queue);
      peer.handle('read', () => piece);
      raw.pause();
      sendRequests(raw, 0, 1000);
      await whenItStops(() => peer.stats().requestsReceived);
      raw.destroy();
      await peer.closed;
      expect(peer.stats().handling).toBe(0);
    });

    test('that stay unread for too long end the link, with the reason', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { ...queue, clock, stallTimeoutMs: 5000 });
      peer.handle('read', () => piece);
      const call = peer.request('other');
      await raw.next();
      raw.pause();
      sendRequests(raw, 0, 1000);
      await whenItStops(() => peer.stats().requestsReceived);
      clock.advance(5000);
      const why = 'the plugin asked for more than it read: its answers have filled the pipe for 5000 ms';
      await expect(call).rejects.toMatchObject({
        code: 'PIPE_ENDED',
        message: `The pipe to the plugin is over: ${why}.`,
        cause: { code: 'PIPE_FULL', message: why },
      });
      expect(await peer.closed).toMatchObject({ kind: 'failed', error: { code: 'PIPE_FULL' } });
      expect(clock.waiting).toBe(0);
    });

    test('are waited for by close, up to its limit', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { ...queue, clock });
      peer.handle('read', () => piece);
      raw.pause();
      sendRequests(raw, 0, 1000);
      const taken = await whenItStops(() => peer.stats().requestsReceived);
      const closing = peer.close({ timeoutMs: 1000 });
      raw.resume();
      await closing;
      const answered = raw.received.filter((message) => (message as { result?: unknown }).result === piece);
      expect(answered).toHaveLength(taken);
    });

    test('are dropped when closing takes too long', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { ...queue, clock });
      peer.handle('read', () => piece);
      raw.pause();
      sendRequests(raw, 0, 1000);
      await whenItStops(() => peer.stats().requestsReceived);
      const closing = peer.close({ timeoutMs: 1000 });
      clock.advance(1000);
      await closing;
      expect(await peer.closed).toEqual({ kind: 'closed' });
      expect(clock.waiting).toBe(0);
    });
  });
});

/** Sends until the peer refuses. */
function notifyUntilRefused(peer: Peer): { allowed: number; accepted: number; error: unknown } {
  let allowed = 0;
  for (let accepted = 0; ; accepted++) {
    try {
      if (peer.notify('fill', [piece])) allowed += 1;
    } catch (error) {
      return { allowed, accepted, error };
    }
  }
}

/** Sends until the peer asks to wait. */
function notifyUntilFull(peer: Peer): void {
  while (peer.notify('fill', [piece]));
}

function sendRequests(raw: { send(...values: unknown[]): void }, from: number, count: number): void {
  for (let id = from; id < from + count; id++) {
    raw.send({ jsonrpc: '2.0', id, method: 'read', params: [id, 'x'.repeat(1000)] });
  }
}

/** One chunk at a time, so that the pipe is full again before the next is read. */
function readSlowly(raw: RawEnd): void {
  raw.onMessage(() => {
    raw.pause();
    setImmediate(() => raw.resume());
  });
  raw.resume();
}

/** The value at which it stays: everything in memory has settled when it does not change for some rounds. */
async function whenItStops(measure: () => number): Promise<number> {
  let last = -1;
  for (let quiet = 0; quiet < 20; quiet++) {
    if (measure() !== last) quiet = 0;
    last = measure();
    await nextRound();
  }
  return last;
}
