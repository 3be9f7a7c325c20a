// Requests and notifications of the other end, seen from the wire: handlers, order, limits, cancelling, what is no message.
import { describe, expect, test } from 'vitest';
import {
  allHandled,
  framingNames,
  peerAndRawEnd,
  unread,
  withTrouble,
} from '../../../test/support/channel/raw-end.ts';
import { RpcError } from '../message/rpc-error.ts';
import type { CallContext } from './call-context.ts';
import type { CancelProtocol } from './options.ts';

/** As MCP has it, and as careless about what comes in as one writes it. */
const cancel: CancelProtocol = {
  method: 'notifications/cancelled',
  notification: (requestId) => ({ method: 'notifications/cancelled', params: { requestId } }),
  idIn: (params) => (params as { requestId: number | string }).requestId,
};

describe.each(framingNames)('handling over %s', (framing) => {
  describe('a handler', () => {
    test.each([
      ['a number', 7],
      ['zero', 0],
      ['a fraction', 1.5],
      ['text', 'a-1'],
      ['empty text', ''],
      ['text that spells a number', '7'],
      ['null', null],
      ['a large number', 9_007_199_254_740_991],
    ])('is answered under the id that was sent: %s', async (_, id) => {
      const { peer, raw } = peerAndRawEnd(framing);
      peer.handle('echo', (params) => params);
      raw.send({ jsonrpc: '2.0', id, method: 'echo', params: ['x'] });
      expect(await raw.next()).toEqual({ jsonrpc: '2.0', id, result: ['x'] });
    });

    test('knows the id and the method it answers', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      peer.handle('who', (_, { id, method }) => ({ id, method }));
      raw.send({ jsonrpc: '2.0', id: 'q', method: 'who' });
      expect(await raw.next()).toMatchObject({ result: { id: 'q', method: 'who' } });
    });

    test('is replaced by a later one', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      peer.handle('work', () => 'old');
      peer.handle('work', () => 'new');
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      expect(await raw.next()).toMatchObject({ result: 'new' });
    });

    test('of all others answers what has no handler of its own', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      peer.handle('known', () => 'its own');
      peer.handleOthers((params, { method }) => ({ method, params }));
      raw.send({ jsonrpc: '2.0', id: 1, method: 'known' }, { jsonrpc: '2.0', id: 2, method: 'toString' });
      expect(await raw.take(2)).toMatchObject([{ result: 'its own' }, { result: { method: 'toString' } }]);
    });

    test('of all other notifications hears what has no listener of its own', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const heard: unknown[] = [];
      peer.onNotification('known', () => void heard.push('known'));
      peer.onOtherNotifications((method, params) => void heard.push([method, params]));
      raw.notify('known');
      raw.notify('valueOf', { at: 1 });
      await allHandled(peer, raw);
      expect(heard).toEqual(['known', ['valueOf', { at: 1 }]]);
    });

    test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
      'is not found under a name that every object has: %s',
      async (method) => {
        const { raw } = peerAndRawEnd(framing);
        raw.send({ jsonrpc: '2.0', id: 1, method });
        expect(await raw.next()).toMatchObject({ error: { code: -32601, message: 'Method not found' } });
      },
    );

    test.each<[string, () => unknown, unknown]>([
      [
        'an RpcError',
        () => new RpcError(-5, 'no', { why: 1 }),
        { code: -5, message: 'no', data: { why: 1 } },
      ],
      ['an RpcError without data', () => new RpcError(-5, 'no'), { code: -5, message: 'no' }],
      ['an Error', () => new Error('broke'), { code: -32603, message: 'broke' }],
      ['an Error without a message', () => new Error(''), { code: -32603, message: 'Internal error' }],
      ['text', () => 'text', { code: -32603, message: 'Internal error' }],
      ['undefined', () => undefined, { code: -32603, message: 'Internal error' }],
      ['null', () => null, { code: -32603, message: 'Internal error' }],
    ])('that throws is answered with an error, at once or later: %s', async (_, thrown, error) => {
      const { peer, raw } = peerAndRawEnd(framing);
      peer.handle('now', () => {
        throw thrown();
      });
      peer.handle('later', async () => {
        await Promise.resolve();
        throw thrown();
      });
      raw.send({ jsonrpc: '2.0', id: 1, method: 'now' });
      expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 1, error });
      raw.send({ jsonrpc: '2.0', id: 2, method: 'later' });
      expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 2, error });
    });

    test.each<[string, unknown, unknown]>([
      ['undefined', undefined, null],
      ['a function', () => {}, null],
      ['a symbol', Symbol('x'), null],
      ['NaN', NaN, null],
      ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
      ['false', false, false],
      ['empty text', '', ''],
    ])('may return anything that has a JSON form or none: %s', async (_, returned, result) => {
      const { peer, raw } = peerAndRawEnd(framing);
      peer.handle('now', () => returned);
      peer.handle('later', async () => returned);
      raw.send({ jsonrpc: '2.0', id: 1, method: 'now' });
      expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 1, result });
      raw.send({ jsonrpc: '2.0', id: 2, method: 'later' });
      expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 2, result });
    });

    test.each<[string, () => unknown]>([
      ['a cycle', cycle],
      ['a BigInt', () => ({ big: 1n })],
      [
        'a toJSON that throws',
        () => ({
          toJSON() {
            throw new Error('no JSON today');
          },
        }),
      ],
    ])('whose result has no JSON form is answered with an error: %s', async (_, result) => {
      const { peer, raw } = peerAndRawEnd(framing);
      peer.handle('now', result);
      peer.handle('later', async () => result());
      peer.handle('data', () => {
        throw new RpcError(1, 'no', result());
      });
      for (const method of ['now', 'later', 'data']) {
        raw.send({ jsonrpc: '2.0', id: method, method });
        expect(await raw.next()).toMatchObject({
          id: method,
          error: { code: -32603, message: expect.stringContaining('cannot be sent as JSON') as unknown },
        });
      }
    });

    test('whose result is over the limit for sending is answered with an error', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { sendLimit: 500 });
      peer.handle('read', () => 'x'.repeat(500));
      raw.send({ jsonrpc: '2.0', id: 1, method: 'read' });
      expect(await raw.next()).toMatchObject({
        id: 1,
        error: {
          code: -32603,
          message: expect.stringContaining('the limit for sending is 500 bytes') as unknown,
        },
      });
      expect(peer.stats().handling).toBe(0);
    });

    test('may return any thenable, even a broken one', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const handlers: Record<string, Pick<PropertyDescriptor, 'value' | 'get'>> = {
        thenable: { value: (resolve: (value: string) => void) => resolve('fine') },
        twice: {
          value(resolve: (value: string) => void, reject: (error: Error) => void) {
            resolve('first');
            resolve('second');
            reject(new Error('third'));
          },
        },
        throws: {
          value() {
            throw new Error('broken thenable');
          },
        },
        trap: {
          get() {
            throw new Error('a trap');
          },
        },
      };
      for (const [method, then] of Object.entries(handlers)) {
        // oxlint-disable-next-line unicorn/no-thenable -- the point of this test
        peer.handle(method, () => Object.defineProperty({}, 'then', then));
        raw.send({ jsonrpc: '2.0', id: method, method });
      }
      expect(await raw.take(4)).toMatchObject([
        { id: 'thenable', result: 'fine' },
        { id: 'twice', result: 'first' },
        { id: 'throws', error: { message: 'broken thenable' } },
        { id: 'trap', error: { message: 'a trap' } },
      ]);
      expect(peer.stats().handling).toBe(0);
    });

    test('that answers at once is answered before the next message is handled', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const order: string[] = [];
      peer.observe((direction, message) => order.push(`${direction} ${message.kind}`));
      peer.handle('now', () => 1);
      raw.send({ jsonrpc: '2.0', id: 1, method: 'now' }, { jsonrpc: '2.0', id: 2, method: 'now' });
      await raw.take(2);
      expect(order).toEqual(['received request', 'sent success', 'received request', 'sent success']);
    });

    test('may answer before it is done; a failure after that is for nobody', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      let goOn = () => {};
      const pause = new Promise<void>((resolve) => (goOn = resolve));
      peer.handle('work', async (_, context) => {
        context.respond('taken');
        peer.notify('begun');
        await pause;
        throw new Error('too late');
      });
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      expect(await raw.take(2)).toEqual([
        { jsonrpc: '2.0', id: 1, result: 'taken' },
        { jsonrpc: '2.0', method: 'begun' },
      ]);
      expect(peer.stats().handling).toBe(1);
      goOn();
      expect(await unread(peer, raw)).toEqual([]);
      expect(peer.stats().handling).toBe(0);
    });

    test('may waive the response: a closing peer waits for it all the same, and for what it says', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      let goOn = () => {};
      const pause = new Promise<void>((resolve) => (goOn = resolve));
      peer.handle('work', async (_, context) => {
        context.waiveResponse();
        await pause;
        peer.notify('done');
      });
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      raw.end();
      await peer.ended;
      goOn();
      await peer.closed;
      await raw.inputEnded;
      expect(raw.received).toEqual([{ jsonrpc: '2.0', method: 'done' }]);
    });

    test('of a batch may waive its response: the others are answered', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      peer.handle('echo', (params) => params);
      peer.handle('silent', (_, context) => context.waiveResponse());
      raw.send([
        { jsonrpc: '2.0', id: 1, method: 'silent' },
        { jsonrpc: '2.0', id: 2, method: 'echo', params: ['x'] },
      ]);
      expect(await raw.next()).toEqual([{ jsonrpc: '2.0', id: 2, result: ['x'] }]);
    });
  });

  describe('one after the other', () => {
    test('each request waits until the one before is answered', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { handling: 'serial' });
      const log: string[] = [];
      const work = deferredHandler(log);
      peer.handle('work', work.handler);
      peer.handle('quick', () => log.push('quick'));
      raw.send(
        { jsonrpc: '2.0', id: 'a', method: 'work' },
        { jsonrpc: '2.0', id: 'b', method: 'quick' },
        { jsonrpc: '2.0', id: 'c', method: 'work' },
        { jsonrpc: '2.0', id: 'd', method: 'missing' },
      );
      await allHandled(peer, raw);
      expect(log).toEqual(['start a']);
      expect(peer.stats().handling).toBe(4);
      work.finish('a');
      expect(await raw.take(2)).toMatchObject([{ id: 'a' }, { id: 'b' }]);
      expect(log).toEqual(['start a', 'end a', 'quick', 'start c']);
      work.finish('c');
      expect(await raw.take(2)).toMatchObject([{ id: 'c' }, { id: 'd', error: { code: -32601 } }]);
      expect(peer.stats().handling).toBe(0);
    });

    test('notifications and responses do not wait', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { handling: 'serial' });
      const answered = peer.request('ask');
      const { id } = await raw.nextRequest();
      peer.handle('work', () => new Promise(() => {}));
      raw.send({ jsonrpc: '2.0', id: 'a', method: 'work' }, { jsonrpc: '2.0', id, result: 'yes' });
      expect(await answered).toBe('yes');
      await allHandled(peer, raw);
    });

    test('a failure does not stop the next', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { handling: 'serial' });
      peer.handle('fail', async () => {
        throw new RpcError(1, 'no');
      });
      raw.send(...[1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'fail' })));
      expect(await raw.take(3)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
    });

    test('the next waits even for a cancelled one, whose handler may still be at work', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { handling: 'serial', cancel });
      const log: string[] = [];
      const work = deferredHandler(log);
      peer.handle('work', work.handler);
      raw.send({ jsonrpc: '2.0', id: 'a', method: 'work' }, { jsonrpc: '2.0', id: 'b', method: 'work' });
      raw.notify('notifications/cancelled', { requestId: 'a' });
      await allHandled(peer, raw);
      expect(log).toEqual(['start a']);
      work.finish('a');
      await work.whenStarted('b');
      work.finish('b');
      expect(await raw.next()).toMatchObject({ id: 'b' });
    });
  });

  test('all at once, by default', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const log: string[] = [];
    const work = deferredHandler(log);
    peer.handle('work', work.handler);
    raw.send(...['a', 'b', 'c'].map((id) => ({ jsonrpc: '2.0', id, method: 'work' })));
    await allHandled(peer, raw);
    expect(log).toEqual(['start a', 'start b', 'start c']);
    for (const id of ['c', 'a', 'b']) work.finish(id);
    expect(await raw.take(3)).toMatchObject([{ id: 'c' }, { id: 'a' }, { id: 'b' }]);
  });

  describe.each(['serial', 'concurrent'] as const)('more than maxHandling, %s', (handling) => {
    test('are answered with -32000 at once, and taken again when there is room', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { handling, maxHandling: 2 });
      const work = deferredHandler([]);
      peer.handle('work', work.handler);
      raw.send(...['a', 'b', 'c'].map((id) => ({ jsonrpc: '2.0', id, method: 'work' })));
      expect(await raw.next()).toEqual({
        jsonrpc: '2.0',
        id: 'c',
        error: { code: -32000, message: 'Too many requests: 2 are under way, which is the limit' },
      });
      work.finish('a');
      expect(await raw.next()).toMatchObject({ id: 'a' });
      raw.send({ jsonrpc: '2.0', id: 'd', method: 'work' });
      await allHandled(peer, raw);
      work.finish('b');
      await work.whenStarted('d');
      work.finish('d');
      expect(await raw.take(2)).toMatchObject([{ id: 'b' }, { id: 'd' }]);
    });

    test('cannot be got around by cancelling', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { handling, maxHandling: 2, cancel });
      const work = deferredHandler([]);
      peer.handle('work', work.handler);
      for (const id of ['a', 'b', 'c', 'd']) {
        raw.send({ jsonrpc: '2.0', id, method: 'work' });
        raw.notify('notifications/cancelled', { requestId: id });
      }
      const sent = await unread(peer, raw);
      // In a queue they leave before their handlers run; at once, their handlers run though nobody waits for them.
      expect({ running: work.started.size, refused: sent.length }).toEqual(
        handling === 'serial' ? { running: 1, refused: 0 } : { running: 2, refused: 2 },
      );
      expect(peer.stats().handling).toBe(work.started.size);
    });
  });

  describe('cancelling', () => {
    test('fires the signal of the handler, and there is no answer', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { cancel, name: 'the host' });
      const aborted = new Promise<unknown>((resolve) => {
        peer.handle('work', (_, { signal }) => {
          signal.addEventListener('abort', () => resolve(signal.reason));
          return new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(new Error('stopped'))),
          );
        });
      });
      raw.send({ jsonrpc: '2.0', id: 'a', method: 'work' });
      raw.notify('notifications/cancelled', { requestId: 'a' });
      expect(await aborted).toMatchObject({ code: 'CALL_CANCELLED', message: 'the host gave the call up.' });
      expect(await unread(peer, raw)).toEqual([]);
      expect(peer.stats().handling).toBe(0);
    });

    test('a signal that is looked at only later has fired already', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { cancel });
      let context: CallContext | undefined;
      peer.handle('work', (_, own) => {
        context = own;
        return new Promise(() => {});
      });
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      raw.notify('notifications/cancelled', { requestId: 1 });
      await allHandled(peer, raw);
      expect(context?.signal.aborted).toBe(true);
    });

    test('takes a request that waits for its turn out of the queue', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { cancel, handling: 'serial' });
      const work = deferredHandler([]);
      peer.handle('work', work.handler);
      raw.send(...['a', 'b', 'c'].map((id) => ({ jsonrpc: '2.0', id, method: 'work' })));
      raw.notify('notifications/cancelled', { requestId: 'b' });
      await allHandled(peer, raw);
      expect(peer.stats().handling).toBe(2);
      work.finish('a');
      await work.whenStarted('c');
      work.finish('c');
      expect(await raw.take(2)).toMatchObject([{ id: 'a' }, { id: 'c' }]);
      expect(work.started.has('b')).toBe(false);
    });

    test.each([
      ['an unknown id', { requestId: 'nobody' }],
      ['an id of another type', { requestId: '1' }],
      ['no id', {}],
      ['no params', undefined],
      ['params of another form', ['x']],
    ])('with %s changes nothing', async (_, params) => {
      const { peer, raw } = withTrouble(framing, { cancel });
      const work = deferredHandler([]);
      peer.handle('work', work.handler);
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      raw.notify('notifications/cancelled', params);
      await allHandled(peer, raw);
      work.finish(1);
      expect(await raw.next()).toMatchObject({ id: 1, result: 'done' });
    });

    test('words that cannot be read are told as trouble', async () => {
      const { raw, trouble } = withTrouble(framing, { cancel });
      raw.notify('notifications/cancelled');
      expect(await trouble).toMatchObject({
        kind: 'thrown',
        where: 'the reader of "notifications/cancelled"',
      });
    });

    test('an answered request cannot be cancelled, and its id can be used again', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { cancel });
      peer.handle('quick', async () => 'done');
      raw.send({ jsonrpc: '2.0', id: 1, method: 'quick' });
      expect(await raw.next()).toMatchObject({ id: 1 });
      raw.notify('notifications/cancelled', { requestId: 1 });
      raw.send({ jsonrpc: '2.0', id: 1, method: 'quick' });
      expect(await raw.next()).toMatchObject({ id: 1, result: 'done' });
      expect(peer.stats().handling).toBe(0);
    });

    test('the listener of the same notification hears it too', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { cancel });
      const heard = new Promise((resolve) => peer.onNotification('notifications/cancelled', resolve));
      raw.notify('notifications/cancelled', { requestId: 5 });
      expect(await heard).toEqual({ requestId: 5 });
    });

    test('nothing is kept per request where the protocol cannot cancel', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const work = deferredHandler([]);
      peer.handle('work', work.handler);
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      raw.notify('notifications/cancelled', { requestId: 1 });
      await allHandled(peer, raw);
      work.finish(1);
      expect(await raw.next()).toMatchObject({ id: 1, result: 'done' });
    });

    test('ten thousand running and waiting requests are cancelled quickly, last first', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { cancel, handling: 'serial' });
      peer.handle('work', () => new Promise(() => {}));
      const ids = Array.from({ length: 10_000 }, (_, id) => id);
      raw.send(...ids.map((id) => ({ jsonrpc: '2.0', id, method: 'work' })));
      raw.send(
        ...ids
          .toReversed()
          .map((requestId) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })),
      );
      expect(await unread(peer, raw)).toEqual([]);
      expect(peer.stats().handling).toBe(1);
    });
  });

  describe('notifications', () => {
    test('a later listener replaces an earlier one', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const heard: string[] = [];
      peer.onNotification('said', () => heard.push('old'));
      peer.onNotification('said', () => heard.push('new'));
      raw.notify('said');
      await allHandled(peer, raw);
      expect(heard).toEqual(['new']);
      expect(peer.stats().notificationsReceived).toBe(2);
    });

    test('a listener that throws is told as trouble, and the next message is handled', async () => {
      const { peer, raw, troubles } = withTrouble(framing);
      peer.onNotification('said', () => {
        throw new Error('listener broke');
      });
      raw.notify('said');
      await allHandled(peer, raw);
      expect(troubles).toMatchObject([
        { kind: 'thrown', where: 'the listener of "said"', error: { message: 'listener broke' } },
      ]);
    });

    test('what is thrown and no Error is told as one', async () => {
      const { peer, raw, trouble } = withTrouble(framing);
      peer.onNotification('said', () => {
        const thrown: unknown = 'just text';
        throw thrown;
      });
      raw.notify('said');
      expect(await trouble).toMatchObject({ kind: 'thrown', error: { message: 'just text' } });
    });

    test('an asynchronous listener that fails is told as trouble', async () => {
      const { peer, raw, trouble } = withTrouble(framing);
      peer.onNotification('said', async () => {
        await Promise.resolve();
        throw new Error('listener broke later');
      });
      raw.notify('said');
      expect(await trouble).toMatchObject({
        kind: 'thrown',
        where: 'the listener of "said"',
        error: { message: 'listener broke later' },
      });
    });

    test('a listener for trouble that fails is survived, at once or later', async () => {
      const { peer, raw } = peerAndRawEnd(framing, {
        onTrouble: async (trouble) => {
          throw new Error(`cannot tell of ${trouble.kind}`);
        },
      });
      const other = peerAndRawEnd(framing, {
        onTrouble: () => {
          throw new Error('cannot tell');
        },
      });
      raw.sendText('{no json');
      other.raw.sendText('{no json');
      expect(await raw.next()).toMatchObject({ error: { code: -32700 } });
      expect(await other.raw.next()).toMatchObject({ error: { code: -32700 } });
      await allHandled(peer, raw);
    });
  });

  describe('batches of the other end', () => {
    test('are answered as one, in the order in which the answers come, without notifications', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const heard: unknown[] = [];
      const work = deferredHandler([]);
      peer.handle('now', () => 'now');
      peer.handle('work', work.handler);
      peer.onNotification('said', (params) => heard.push(params));
      raw.send([
        { jsonrpc: '2.0', id: 1, method: 'work' },
        { jsonrpc: '2.0', method: 'said', params: ['x'] },
        { jsonrpc: '2.0', id: 2, method: 'now' },
        { jsonrpc: '2.0', id: 3, method: 'missing' },
        17,
      ]);
      expect(await unread(peer, raw)).toEqual([]);
      expect(heard).toEqual([['x']]);
      work.finish(1);
      expect(await raw.next()).toEqual([
        { jsonrpc: '2.0', id: 2, result: 'now' },
        { jsonrpc: '2.0', id: 3, error: { code: -32601, message: 'Method not found' } },
        { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid Request' } },
        { jsonrpc: '2.0', id: 1, result: 'done' },
      ]);
    });

    test('of notifications and responses are not answered', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const call = peer.request('ask');
      const { id } = await raw.nextRequest();
      raw.send([
        { jsonrpc: '2.0', method: 'said' },
        { jsonrpc: '2.0', id, result: 'yes' },
        { jsonrpc: '2.0', id: 77, result: 'whose?' },
      ]);
      expect(await call).toBe('yes');
      expect(await unread(peer, raw)).toEqual([]);
      expect(peer.stats()).toMatchObject({ unknownResponses: 1, responsesReceived: 2 });
    });

    test('whose answers are too large together are answered one by one', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { sendLimit: 1000 });
      peer.handle('read', (params) => 'x'.repeat((params as number[])[0] ?? 0));
      raw.send([600, 600, 2000].map((size, id) => ({ jsonrpc: '2.0', id, method: 'read', params: [size] })));
      expect(await raw.take(3)).toMatchObject([
        { id: 0, result: 'x'.repeat(600) },
        { id: 1, result: 'x'.repeat(600) },
        { id: 2, error: { code: -32603 } },
      ]);
    });

    test('with a cancelled request are answered without it; when all are cancelled, not at all', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { cancel });
      const work = deferredHandler([]);
      peer.handle('work', work.handler);
      raw.send([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'work' })));
      raw.send([3].map((id) => ({ jsonrpc: '2.0', id, method: 'work' })));
      for (const requestId of [1, 3]) raw.notify('notifications/cancelled', { requestId });
      await allHandled(peer, raw);
      work.finish(2);
      expect(await raw.next()).toEqual([{ jsonrpc: '2.0', id: 2, result: 'done' }]);
      expect(await unread(peer, raw)).toEqual([]);
    });
  });

  describe('what is no message', () => {
    test.each([
      ['no JSON', '{"jsonrpc": "2.0", "id":', { code: -32700, message: 'Parse error' }, null],
      ['text', 'hello', { code: -32700, message: 'Parse error' }, null],
      ['an empty array', '[]', { code: -32600, message: 'Invalid Request' }, null],
      ['a number', '17', { code: -32600, message: 'Invalid Request' }, null],
      ['no method', '{"jsonrpc":"2.0","id":4}', { code: -32600, message: 'Invalid Request' }, 4],
      [
        'a method that is no text',
        '{"jsonrpc":"2.0","id":4,"method":1}',
        { code: -32600, message: 'Invalid Request' },
        4,
      ],
      [
        'params that are text',
        '{"jsonrpc":"2.0","id":4,"method":"a","params":"x"}',
        { code: -32600, message: 'Invalid Request' },
        4,
      ],
      [
        'an id that is an object',
        '{"jsonrpc":"2.0","id":{},"method":"a"}',
        { code: -32600, message: 'Invalid Request' },
        null,
      ],
    ])('is answered as the specification says: %s', async (_, text, error, id) => {
      const { peer, raw, trouble } = withTrouble(framing);
      raw.sendText(text);
      expect(await raw.next()).toEqual({ jsonrpc: '2.0', id, error });
      expect(await trouble).toMatchObject({ kind: 'invalid', text });
      expect(peer.stats().invalidMessages).toBe(1);
    });

    test('is noise where the other end is known to print', async () => {
      const { peer, raw, trouble } = withTrouble(framing, { answerInvalid: false });
      raw.sendText('loading…', '[1, 2]', '{"jsonrpc":"2.0"}');
      const invalid = 1 + 2 + 1;
      expect(await trouble).toMatchObject({ kind: 'invalid', text: 'loading…' });
      expect(await unread(peer, raw)).toEqual([]);
      expect(peer.stats().invalidMessages).toBe(invalid);
    });

    test('a request over the limit for receiving is answered with the reason', async () => {
      const { peer, raw, trouble } = withTrouble(framing, { receiveLimit: 1000 });
      peer.handle('save', () => 'saved');
      raw.send({ jsonrpc: '2.0', id: 'big', method: 'save', params: ['x'.repeat(1000)] });
      raw.send({ jsonrpc: '2.0', id: 'small', method: 'save' });
      expect(await raw.take(2)).toMatchObject([
        {
          id: 'big',
          error: {
            code: -32600,
            message: 'Invalid Request: 1058 bytes, which is over the limit for receiving (receiveLimit)',
          },
        },
        { id: 'small', result: 'saved' },
      ]);
      expect(await trouble).toMatchObject({ kind: 'oversize', size: 1058 });
    });

    test('a notification over the limit is told as trouble and skipped', async () => {
      const { peer, raw, trouble } = withTrouble(framing, { receiveLimit: 1000 });
      raw.notify('log', ['x'.repeat(1000)]);
      expect(await trouble).toMatchObject({ kind: 'oversize' });
      expect(await unread(peer, raw)).toEqual([]);
    });
  });
});

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

/** A handler whose answers come when the test says so. */
function deferredHandler(log: string[]) {
  const started = new Map<unknown, () => void>();
  const waiting = new Map<unknown, () => void>();
  return {
    started,
    handler: (_: unknown, { id }: CallContext) => {
      log.push(`start ${id}`);
      waiting.get(id)?.();
      return new Promise((resolve) => {
        started.set(id, () => {
          log.push(`end ${id}`);
          resolve('done');
        });
      });
    },
    whenStarted: (id: unknown) =>
      started.has(id) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(id, resolve)),
    finish: (id: unknown) => started.get(id)?.(),
  };
}
