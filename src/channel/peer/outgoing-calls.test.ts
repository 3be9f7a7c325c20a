// Requests of this end, seen from the wire: results, errors, time limits, signals, batches, limits, strays.
import { getEventListeners } from 'node:events';
import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  allHandled,
  framingNames,
  peerAndRawEnd,
  withTrouble,
} from '../../../test/support/channel/raw-end.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { tolerant } from '../message/tolerances.ts';
import type { CancelProtocol } from './options.ts';

/** As MCP has it. */
const cancel: CancelProtocol = {
  method: 'notifications/cancelled',
  notification: (requestId, { message }) => ({
    method: 'notifications/cancelled',
    params: { requestId, reason: message },
  }),
  idIn: (params) => (params as { requestId: number }).requestId,
};

describe.each(framingNames)('requests over %s', (framing) => {
  describe('results', () => {
    test('several are answered in any order', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const calls = ['a', 'b', 'c'].map((method) => peer.request(method));
      const requests = await raw.take(3);
      raw.send(...requests.toReversed().map((request) => answerTo(request)));
      expect(await Promise.all(calls)).toEqual(['a', 'b', 'c']);
    });

    test('an error answer rejects with an RpcError', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const call = peer.request('work');
      raw.send({
        jsonrpc: '2.0',
        id: (await raw.nextRequest()).id,
        error: { code: -5, message: 'no', data: { a: 1 } },
      });
      await expect(call).rejects.toMatchObject({ name: 'RpcError', code: -5, message: 'no', data: { a: 1 } });
    });

    test('params that have no JSON form reject, and nothing is sent', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const cycle: Record<string, unknown> = {};
      cycle['self'] = cycle;
      await expect(peer.request('work', cycle)).rejects.toMatchObject({ code: 'UNENCODABLE' });
      await expect(peer.request('work', [1n])).rejects.toMatchObject({ code: 'UNENCODABLE' });
      expect(() => peer.open('work', cycle)).toThrow('cannot be sent as JSON');
      peer.notify('done');
      expect(await raw.next()).toMatchObject({ method: 'done' });
      expect(peer.stats()).toMatchObject({ inFlight: 0, requestsSent: 0 });
    });

    test('a request over the limit for sending rejects and says the sizes', async () => {
      const { peer } = peerAndRawEnd(framing, { sendLimit: 1000 });
      const call = peer.request('work', ['x'.repeat(1000)]);
      await expect(call).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE' });
      await expect(call).rejects.toThrow(
        /A message of 10\d\d bytes was not sent: the limit for sending is 1000 bytes/,
      );
      expect(peer.stats().inFlight).toBe(0);
    });
  });

  describe('time limits', () => {
    test('a call fails when its own limit passes, and says so', async () => {
      const clock = fakeClock();
      const { peer } = peerAndRawEnd(framing, { clock });
      const call = peer.request('work', undefined, { timeoutMs: 50 });
      clock.advance(50);
      await expect(call).rejects.toMatchObject({
        code: 'CALL_TIMEOUT',
        message: expect.stringContaining('No answer to "work" from the plugin within 50 ms') as unknown,
      });
      expect(peer.stats()).toMatchObject({ timeouts: 1, inFlight: 0 });
    });

    test("the peer's limit holds for calls that bring none; a call's own replaces it either way", async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { clock, timeoutMs: 100 });
      const byDefault = peer.request('a');
      const shorter = peer.request('b', undefined, { timeoutMs: 10 });
      const longer = peer.request('c', undefined, { timeoutMs: 1000 });
      const endless = peer.request('d', undefined, { timeoutMs: Infinity });
      clock.advance(10);
      await expect(shorter).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
      clock.advance(90);
      await expect(byDefault).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
      clock.advance(900);
      await expect(longer).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
      clock.advance(1e12);
      await nextRound();
      const requests = await raw.take(4);
      raw.send(answerTo(requests[3]));
      expect(await endless).toBe('d');
    });

    test('no timer is left when all is answered, failed or given up', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { clock });
      const call = peer.request('work', undefined, { timeoutMs: 50 });
      raw.send(answerTo(await raw.next()));
      await call;
      clock.advance(100);
      await nextRound();
      expect(clock.waiting).toBe(0);
      const failed = peer.request('work', undefined, { timeoutMs: 50 });
      raw.destroy();
      await expect(failed).rejects.toMatchObject({ code: 'PIPE_ENDED' });
      expect(clock.waiting).toBe(0);
    });

    test('an answer that is in the pipe already wins when this process was late', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { clock });
      const call = peer.request('work', undefined, { timeoutMs: 50 });
      const request = await raw.next();
      clock.advance(5000);
      raw.send(answerTo(request));
      expect(await call).toBe('work');
      expect(peer.stats().timeouts).toBe(0);
    });

    test('the answer that comes after the limit counts as late and is ignored', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { clock });
      const call = peer.request('work', undefined, { timeoutMs: 50 });
      const request = await raw.next();
      clock.advance(50);
      await expect(call).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
      raw.send(answerTo(request));
      raw.send(answerTo(request));
      await allHandled(peer, raw);
      expect(peer.stats()).toMatchObject({ lateResponses: 1, duplicateResponses: 1, responsesReceived: 2 });
    });

    test('the other end is told, where the protocol has words for it', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { clock, cancel });
      const call = peer.request('work', undefined, { timeoutMs: 50 });
      const { id } = await raw.nextRequest();
      clock.advance(50);
      await expect(call).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
      expect(await raw.next()).toMatchObject({
        method: 'notifications/cancelled',
        params: { requestId: id, reason: expect.stringContaining('within 50 ms') as unknown },
      });
    });
  });

  describe('signals', () => {
    test('one that has fired already rejects at once, and nothing is sent', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const signal = AbortSignal.abort('changed my mind');
      const call = peer.request('work', undefined, { signal });
      await expect(call).rejects.toMatchObject({ code: 'CALL_CANCELLED', cause: 'changed my mind' });
      await expect(peer.batch([{ method: 'work' }], { signal })).rejects.toMatchObject({
        code: 'CALL_CANCELLED',
      });
      expect(() => peer.open('work', undefined, { signal })).toThrow('given up');
      peer.notify('done');
      expect(await raw.next()).toMatchObject({ method: 'done' });
      expect(peer.stats().requestsSent).toBe(0);
    });

    test('one that fires while the call is under way gives it up, and the other end is told', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { cancel });
      const controller = new AbortController();
      const call = peer.request('work', undefined, { signal: controller.signal });
      const { id } = await raw.nextRequest();
      controller.abort(new Error('enough'));
      await expect(call).rejects.toMatchObject({ code: 'CALL_CANCELLED', cause: { message: 'enough' } });
      expect(await raw.next()).toMatchObject({
        method: 'notifications/cancelled',
        params: { requestId: id },
      });
      expect(peer.stats()).toMatchObject({ cancelled: 1, inFlight: 0 });
      expect(listeners(controller)).toBe(0);
    });

    test('nothing is said where the protocol has no words for it', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const controller = new AbortController();
      const call = peer.request('work', undefined, { signal: controller.signal });
      await raw.next();
      controller.abort();
      await expect(call).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
      peer.notify('done');
      expect(await raw.next()).toMatchObject({ method: 'done' });
    });

    test('one that fires while the call waits for its turn takes it out, and nothing is sent', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { maxInFlight: 1, cancel });
      const controller = new AbortController();
      const first = peer.request('first');
      const waiting = peer.request('waiting', undefined, { signal: controller.signal });
      const last = peer.request('last');
      expect(peer.stats()).toMatchObject({ inFlight: 1, waiting: 2 });
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
      expect(peer.stats()).toMatchObject({ inFlight: 1, waiting: 1, cancelled: 1 });
      expect(listeners(controller)).toBe(0);
      raw.send(answerTo(await raw.next()));
      raw.send(answerTo(await raw.next()));
      expect(await Promise.all([first, last])).toEqual(['first', 'last']);
    });

    test('one that fires after the end changes nothing', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { cancel });
      const controller = new AbortController();
      const call = peer.request('work', undefined, { signal: controller.signal });
      raw.send(answerTo(await raw.next()));
      expect(await call).toBe('work');
      expect(listeners(controller)).toBe(0);
      controller.abort();
      peer.notify('done');
      expect(await raw.next()).toMatchObject({ method: 'done' });
      expect(peer.stats().cancelled).toBe(0);
    });

    test('a signal is let go of, however the call ends', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { clock, maxInFlight: 3 });
      const controller = new AbortController();
      const { signal } = controller;
      const answered = peer.request('answered', undefined, { signal });
      const refused = peer.request('refused', undefined, { signal });
      const expired = peer.request('expired', undefined, { signal, timeoutMs: 10 });
      const [first, second] = await raw.take(3);
      raw.send(answerTo(first), {
        ...(second as object),
        method: undefined,
        error: { code: 1, message: 'no' },
      });
      expect(await answered).toBe('answered');
      await expect(refused).rejects.toMatchObject({ code: 1 });
      clock.advance(10);
      await expect(expired).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
      expect(listeners(controller)).toBe(0);
      const doomed = Array.from({ length: 5 }, () => peer.request('doomed', undefined, { signal }));
      expect(peer.stats()).toMatchObject({ inFlight: 3, waiting: 2 });
      expect(listeners(controller)).toBe(1);
      raw.destroy();
      for (const call of doomed) await expect(call).rejects.toMatchObject({ code: 'PIPE_ENDED' });
      expect(listeners(controller)).toBe(0);
    });

    test('one signal ends thousands of calls, under way and waiting', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { maxInFlight: 1000 });
      const controller = new AbortController();
      const calls = Array.from({ length: 20_000 }, () =>
        peer.request('work', undefined, { signal: controller.signal }),
      );
      await raw.take(1000);
      controller.abort();
      const outcomes = await Promise.allSettled(calls);
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(20_000);
      expect(peer.stats()).toMatchObject({ inFlight: 0, waiting: 0, cancelled: 20_000 });
      expect(listeners(controller)).toBe(0);
    });

    test('cancel words that throw are survived', async () => {
      const broken: CancelProtocol = {
        ...cancel,
        notification: () => {
          throw new Error('no words');
        },
      };
      const { peer, raw } = peerAndRawEnd(framing, { cancel: broken });
      const controller = new AbortController();
      const call = peer.request('work', undefined, { signal: controller.signal });
      await raw.next();
      controller.abort();
      await expect(call).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
    });

    test('a signal that is fired by an observer of the sending counts', async () => {
      const { peer } = peerAndRawEnd(framing);
      const controller = new AbortController();
      peer.observe(() => controller.abort());
      const call = peer.request('work', undefined, { signal: controller.signal });
      await expect(call).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
      expect(listeners(controller)).toBe(0);
    });
  });

  describe('limits', () => {
    test('what is over maxInFlight waits and is sent in its order', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { maxInFlight: 2 });
      const calls = ['a', 'b', 'c', 'd', 'e'].map((method) => peer.request(method));
      expect(peer.stats()).toMatchObject({ inFlight: 2, waiting: 3, requestsSent: 2 });
      const order: unknown[] = [];
      raw.onMessage((message) => {
        order.push((message as { method: string }).method);
        raw.send(answerTo(message));
      });
      expect(await Promise.all(calls)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(peer.stats()).toMatchObject({ inFlight: 0, waiting: 0, requestsSent: 5 });
    });

    test('a later request does not pass those that wait', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { maxInFlight: 1 });
      const a = peer.request('a');
      const b = peer.request('b');
      const order: unknown[] = [];
      raw.onMessage((message) => {
        order.push((message as { method: string }).method);
        raw.send(answerTo(message));
      });
      await a;
      const c = peer.request('c');
      await Promise.all([b, c]);
      expect(order).toEqual(['a', 'b', 'c']);
    });

    test('its time limit counts from when it is sent', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { maxInFlight: 1, clock });
      const first = peer.request('first');
      const second = peer.request('second', undefined, { timeoutMs: 100 });
      const request = await raw.next();
      clock.advance(1000);
      await nextRound();
      raw.send(answerTo(request));
      expect(await first).toBe('first');
      const [sent] = await raw.take(1);
      clock.advance(99);
      await nextRound();
      raw.send(answerTo(sent));
      expect(await second).toBe('second');
    });

    test('what is over maxWaiting is refused at once', async () => {
      const { peer } = peerAndRawEnd(framing, { maxInFlight: 1, maxWaiting: 2, name: 'gh' });
      void Promise.allSettled([peer.request('a'), peer.request('b'), peer.request('c')]);
      const call = peer.request('d');
      await expect(call).rejects.toMatchObject({
        code: 'TOO_MANY_CALLS',
        message:
          '2 requests already wait to be sent, which is the limit (maxWaiting). Await earlier ones first.',
      });
      expect(peer.stats()).toMatchObject({ inFlight: 1, waiting: 2 });
    });

    test('open and batch do not wait: they are refused', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { maxInFlight: 2 });
      void peer.request('a').catch(() => {});
      expect(() => {
        peer.open('b');
        peer.open('c');
      }).toThrow(
        '2 requests to the plugin are under way, which is the limit (maxInFlight). request() waits for its turn; open() and batch() do not.',
      );
      await expect(peer.batch([{ method: 'd' }])).rejects.toMatchObject({ code: 'TOO_MANY_CALLS' });
      await peer.batch([{ method: 'e', notify: true }]);
      expect(await raw.take(3)).toMatchObject([{ method: 'a' }, { method: 'b' }, [{ method: 'e' }]]);
    });
  });

  describe('batches', () => {
    test('are one message, answered as one', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const outcomes = peer.batch([
        { method: 'a', params: [1] },
        { method: 'b', notify: true },
        { method: 'c' },
      ]);
      const message = await raw.next();
      expect(message).toEqual([
        { jsonrpc: '2.0', id: 1, method: 'a', params: [1] },
        { jsonrpc: '2.0', method: 'b' },
        { jsonrpc: '2.0', id: 2, method: 'c' },
      ]);
      raw.send([
        { jsonrpc: '2.0', id: 2, error: { code: 9, message: 'no' } },
        { jsonrpc: '2.0', id: 1, result: 'A' },
      ]);
      expect(await outcomes).toMatchObject([
        { status: 'fulfilled', value: 'A' },
        { status: 'fulfilled', value: undefined },
        { status: 'rejected', reason: { code: 9 } },
      ]);
      expect(peer.stats()).toMatchObject({ requestsSent: 2, notificationsSent: 1, responsesReceived: 2 });
    });

    test('may be answered one by one and in any order', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const outcomes = peer.batch([{ method: 'a' }, { method: 'b' }, { method: 'c' }]);
      const requests = (await raw.next()) as unknown[];
      for (const request of requests.toReversed()) raw.send(answerTo(request));
      expect(await outcomes).toMatchObject([{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
    });

    test('may be answered in part: the rest has its time limit', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { clock });
      const outcomes = peer.batch([{ method: 'a' }, { method: 'b' }], { timeoutMs: 10 });
      const [first] = (await raw.next()) as unknown[];
      raw.send([answerTo(first)]);
      await allHandled(peer, raw);
      clock.advance(10);
      expect(await outcomes).toMatchObject([{ value: 'a' }, { reason: { code: 'CALL_TIMEOUT' } }]);
    });

    test('of notifications alone are over when they are sent', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      await peer.batch([
        { method: 'a', notify: true },
        { method: 'b', notify: true },
      ]);
      expect(await raw.next()).toEqual([
        { jsonrpc: '2.0', method: 'a' },
        { jsonrpc: '2.0', method: 'b' },
      ]);
      expect(peer.stats()).toMatchObject({ inFlight: 0, notificationsSent: 2 });
    });

    test('of nothing send nothing', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      expect(await peer.batch([])).toEqual([]);
      peer.notify('done');
      expect(await raw.next()).toMatchObject({ method: 'done' });
    });

    test('are given up as a whole by their signal', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { cancel });
      const controller = new AbortController();
      const outcomes = peer.batch([{ method: 'a' }, { method: 'b' }], { signal: controller.signal });
      await raw.next();
      controller.abort();
      expect(await outcomes).toMatchObject([
        { reason: { code: 'CALL_CANCELLED' } },
        { reason: { code: 'CALL_CANCELLED' } },
      ]);
      expect(await raw.take(2)).toMatchObject([{ params: { requestId: 1 } }, { params: { requestId: 2 } }]);
      expect(listeners(controller)).toBe(0);
    });

    test('that cannot be sent reject and leave nothing under way', async () => {
      const { peer } = peerAndRawEnd(framing, { sendLimit: 500 });
      const tooLarge = peer.batch([{ method: 'a' }, { method: 'b', params: ['x'.repeat(500)] }]);
      await expect(tooLarge).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE' });
      await expect(peer.batch([{ method: 'a', params: [1n] }])).rejects.toMatchObject({
        code: 'UNENCODABLE',
      });
      expect(peer.stats()).toMatchObject({ inFlight: 0, requestsSent: 0, notificationsSent: 0 });
    });
  });

  describe('answers that do not fit', () => {
    test('unknown ones are counted and ignored', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const call = peer.request('work');
      const request = await raw.next();
      raw.answer(99, 'whose?');
      raw.answer('abc', 'whose?');
      raw.answer('1', 'a string is not our 1');
      raw.answer(-1, 'whose?');
      raw.answer(1.5, 'whose?');
      raw.send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
      await allHandled(peer, raw);
      expect(peer.stats()).toMatchObject({ unknownResponses: 6, inFlight: 1 });
      raw.send(answerTo(request));
      expect(await call).toBe('work');
    });

    test('second ones are counted and ignored', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const call = peer.request('work');
      const request = await raw.next();
      raw.send(answerTo(request), answerTo(request), answerTo(request));
      expect(await call).toBe('work');
      await allHandled(peer, raw);
      expect(peer.stats()).toMatchObject({ duplicateResponses: 2, responsesReceived: 3 });
    });

    test('a string that spells our number is taken where that is tolerated', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { tolerances: tolerant });
      const call = peer.request('work');
      await raw.next();
      raw.answer('1', 'fine');
      expect(await call).toBe('fine');
    });

    test.each([
      [
        'both result and error',
        { jsonrpc: '2.0', id: 1, result: 1, error: { code: 1, message: 'x' } },
        'both',
      ],
      [
        'an error without a code',
        { jsonrpc: '2.0', id: 1, error: { message: 'x' } },
        '"error" has no integer',
      ],
      ['an error that is text', { jsonrpc: '2.0', id: 1, error: 'x' }, '"error" has no integer'],
      ['another version', { jsonrpc: '1.0', id: 1, result: 1 }, '"jsonrpc" is not "2.0"'],
      ['no version', { id: 1, result: 1 }, '"jsonrpc" is not "2.0"'],
    ])('an invalid one fails the call it answers: %s', async (_, answer, reason) => {
      const { peer, raw, trouble } = withTrouble(framing);
      const call = peer.request('work');
      await raw.next();
      raw.send(answer);
      await expect(call).rejects.toMatchObject({
        code: 'INVALID_RESPONSE',
        message: expect.stringContaining(
          'The answer of the plugin to "work" is not a JSON-RPC response: ',
        ) as unknown,
      });
      await expect(call).rejects.toThrow(reason);
      expect(await trouble).toMatchObject({ kind: 'invalid' });
      expect(peer.stats()).toMatchObject({ invalidMessages: 1, inFlight: 0 });
    });

    test('one over the limit for receiving fails the call it answers, and the next goes on', async () => {
      const { peer, raw, trouble } = withTrouble(framing, { receiveLimit: 1000, name: 'gh' });
      const call = peer.request('read');
      const next = peer.request('next');
      const [request, second] = (await raw.take(2)) as [{ id: number }, unknown];
      raw.answer(request.id, 'x'.repeat(2000));
      raw.send(answerTo(second));
      await expect(call).rejects.toMatchObject({
        code: 'FRAME_TOO_LARGE',
        message:
          'The answer of gh to "read" has 2036 bytes, which is over the limit for receiving (receiveLimit).',
      });
      expect(await trouble).toMatchObject({ kind: 'oversize', size: 2036 });
      expect(await next).toBe('next');
    });

    test('one over the limit whose id is a string or stands after the version still finds its call', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { receiveLimit: 1000 });
      const calls = [peer.request('a'), peer.request('b')];
      await raw.take(2);
      raw.sendText(`{"id":1,"jsonrpc":"2.0","result":"${'x'.repeat(2000)}"}`);
      raw.sendText(`{"jsonrpc": "2.0", "id": "2", "result": "${'x'.repeat(2000)}"}`);
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE' });
    });

    test('one of an impossible length fails the call it answers, such as one with its bytes in the wrong order', async () => {
      const { peer, raw, trouble } = withTrouble('length-prefix', { name: 'gh' });
      const call = peer.request('read');
      const next = peer.request('next');
      const [, second] = await raw.take(2);
      const body = '{"jsonrpc":"2.0","id":1,"result":"little-endian"}';
      const length = Buffer.alloc(4);
      length.writeUInt32LE(body.length);
      raw.write(Buffer.concat([length, Buffer.from(body)]));
      await expect(call).rejects.toMatchObject({
        code: 'FRAME_TOO_LARGE',
        message:
          'The answer of gh to "read" has 822083584 bytes, which is over the limit for receiving (receiveLimit).',
      });
      expect(await trouble).toMatchObject({ kind: 'oversize', size: 822_083_584 });
      raw.send(answerTo(second));
      expect(await next).toBe('next');
    });

    test('an answer that comes before the question counts as unknown', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      raw.answer(1, 'I knew it');
      await allHandled(peer, raw);
      expect(peer.stats().unknownResponses).toBe(1);
      const call = peer.request('work');
      raw.send(answerTo(await raw.next()));
      expect(await call).toBe('work');
    });

    test('more given-up calls than are remembered are still ignored', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const exchanges = Array.from({ length: 1500 }, () => peer.open('work'));
      for (const exchange of exchanges) exchange.abandon(new Error('given up'));
      raw.send(...(await raw.take(1500)).map((request) => answerTo(request)));
      await allHandled(peer, raw);
      expect(peer.stats()).toMatchObject({ lateResponses: 1024, duplicateResponses: 476, cancelled: 1500 });
    });
  });

  describe('when the pipe ends', () => {
    test('calls under way and waiting fail at once, with the reason', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { maxInFlight: 1, name: 'gh' });
      const calls = [peer.request('a'), peer.request('b')];
      const exchange = peer.request('c');
      await raw.next();
      raw.end();
      for (const call of [...calls, exchange]) {
        await expect(call).rejects.toMatchObject({
          code: 'PIPE_ENDED',
          message: 'The pipe to gh is over: the other end closed it.',
        });
      }
      expect(peer.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
    });

    test('a broken pipe gives its error as the cause', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const call = peer.request('a');
      await raw.next();
      raw.destroy(new Error('read ECONNRESET'));
      await expect(call).rejects.toMatchObject({
        code: 'PIPE_ENDED',
        message: 'The pipe to the plugin is over: read ECONNRESET.',
        cause: { message: 'read ECONNRESET' },
      });
    });

    test('new calls are refused with the reason', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      raw.destroy();
      await peer.closed;
      const refused = {
        code: 'PIPE_ENDED',
        message: 'The pipe to the plugin is over: the other end closed it.',
      };
      await expect(peer.request('a')).rejects.toMatchObject(refused);
      await expect(peer.batch([{ method: 'a' }])).rejects.toMatchObject(refused);
      expect(() => peer.open('a')).toThrow(refused.message);
      await expect(peer.drained()).rejects.toMatchObject(refused);
      expect(() => peer.notify('a')).toThrow(expect.objectContaining({ code: 'PIPE_ENDED' }) as Error);
    });

    test('an answer just before the end still counts', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const call = peer.request('work');
      raw.send(answerTo(await raw.next()));
      raw.end();
      expect(await call).toBe('work');
    });
  });

  test('the counters and latencies tell what happened', async () => {
    const clock = fakeClock();
    const { peer, raw } = peerAndRawEnd(framing, { clock });
    const call = peer.request('work');
    const request = await raw.next();
    clock.advance(100);
    raw.send(answerTo(request));
    await call;
    peer.notify('done');
    const { latency, ...counters } = peer.stats();
    expect(latency).toMatchObject({ count: 1, meanMs: 100, maxMs: 100 });
    expect(counters).toEqual({
      requestsSent: 1,
      notificationsSent: 1,
      requestsReceived: 0,
      notificationsReceived: 0,
      responsesReceived: 1,
      lateResponses: 0,
      duplicateResponses: 0,
      unknownResponses: 0,
      invalidMessages: 0,
      timeouts: 0,
      cancelled: 0,
      inFlight: 0,
      waiting: 0,
      handling: 0,
    });
  });
});

/** A response that gives the method back. */
function answerTo(request: unknown) {
  const { id, method } = request as { id: number; method: string };
  return { jsonrpc: '2.0', id, result: method };
}

function listeners(controller: AbortController): number {
  return getEventListeners(controller.signal, 'abort').length;
}
