// How a peer ends: closed by this end, by the other, or both.
import { describe, expect, test } from 'vitest';
import { allHandled, framingNames, peerAndRawEnd, unread } from '../../../test/support/channel/raw-end.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { KiB } from '../../base/units.ts';
import type { CallContext } from './call-context.ts';

const closedHere = {
  code: 'PEER_CLOSED',
  message: 'The connection to the plugin was closed by this end.',
};

describe.each(framingNames)('closing over %s', (framing) => {
  describe('when nothing is under way', () => {
    test('ends both directions and tells so', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      await peer.close();
      await raw.inputEnded;
      expect(await peer.closed).toEqual({ kind: 'closed' });
    });

    test('leaves no timer behind', async () => {
      const clock = fakeClock();
      const { peer } = peerAndRawEnd(framing, { clock });
      await peer.close();
      expect(clock.waiting).toBe(0);
    });

    test('sends what is queued first', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      for (let i = 0; i < 100; i++) peer.notify('last', ['x'.repeat(10 * KiB), i]);
      await Promise.all([peer.close(), raw.take(100)]);
      expect(raw.received).toHaveLength(100);
    });

    test('twice is once', async () => {
      const { peer } = peerAndRawEnd(framing);
      await Promise.all([peer.close(), peer.close({ pending: 'abort' })]);
      await peer.close();
      expect(await peer.closed).toEqual({ kind: 'closed' });
    });

    test('works when the other end is gone already, and keeps the reason', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      raw.destroy();
      expect(await peer.closed).toEqual({ kind: 'ended' });
      await peer.close();
      await expect(peer.request('a')).rejects.toMatchObject({ code: 'PIPE_ENDED' });
    });
  });

  describe('last words', () => {
    test('go out when the other end has closed its side and has its answers, before this side is closed', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const work = deferred();
      peer.handle('work', work.handler);
      peer.beforeClose(async () => {
        await Promise.resolve();
        peer.notify('last', ['words']);
      });
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      await allHandled(peer, raw);
      raw.end();
      await peer.ended;
      work.finishAll();
      expect(await raw.take(2)).toMatchObject([{ id: 1, result: 'done' }, { method: 'last' }]);
      expect(await peer.closed).toEqual({ kind: 'ended' });
    });

    test('are not waited for when nobody reads any more', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      peer.beforeClose(() => new Promise(() => {}));
      raw.destroy();
      expect(await peer.closed).toEqual({ kind: 'ended' });
    });
  });

  describe('with calls of ours under way', () => {
    test('waits for their answers', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const call = peer.request('work');
      const { id } = await raw.nextRequest();
      const closing = peer.close();
      raw.answer(id, 'done');
      expect(await call).toBe('done');
      await closing;
      await raw.inputEnded;
    });

    test('waits for those that wait for their turn, too', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { maxInFlight: 1 });
      const calls = ['a', 'b', 'c'].map((method) => peer.request(method));
      const closing = peer.close();
      raw.onMessage((message) => raw.answer((message as { id: number }).id, 'done'));
      expect(await Promise.all(calls)).toEqual(['done', 'done', 'done']);
      await closing;
    });

    test('fails them when the time is over', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { clock, maxInFlight: 1 });
      const calls = [peer.request('a'), peer.request('b')];
      const closing = peer.close({ timeoutMs: 1000 });
      await raw.next();
      clock.advance(999);
      expect(peer.stats()).toMatchObject({ inFlight: 1, waiting: 1 });
      clock.advance(1);
      for (const call of calls) await expect(call).rejects.toMatchObject(closedHere);
      await closing;
      await raw.inputEnded;
      expect(clock.waiting).toBe(0);
    });

    test('has five seconds by default', async () => {
      const clock = fakeClock();
      const { peer } = peerAndRawEnd(framing, { clock });
      const call = peer.request('a');
      const closing = peer.close();
      clock.advance(4999);
      expect(peer.stats().inFlight).toBe(1);
      clock.advance(1);
      await expect(call).rejects.toMatchObject(closedHere);
      await closing;
    });

    test('fails them at once when asked to abort', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { maxInFlight: 1 });
      const calls = [peer.request('a'), peer.request('b')];
      const closing = peer.close({ pending: 'abort' });
      for (const call of calls) await expect(call).rejects.toMatchObject(closedHere);
      await closing;
      await raw.inputEnded;
    });

    test('asked to abort while it waits, it waits no longer', async () => {
      const { peer } = peerAndRawEnd(framing);
      const call = peer.request('a');
      const closing = peer.close({ timeoutMs: Infinity });
      const hurried = peer.close({ pending: 'abort' });
      await expect(call).rejects.toMatchObject(closedHere);
      await Promise.all([closing, hurried]);
    });

    test('asked again with less time, it takes no longer than that', async () => {
      const clock = fakeClock();
      const { peer } = peerAndRawEnd(framing, { clock });
      const call = peer.request('a');
      const closing = peer.close({ timeoutMs: Infinity });
      const hurried = peer.close({ timeoutMs: 10 });
      clock.advance(10);
      await expect(call).rejects.toMatchObject(closedHere);
      await Promise.all([closing, hurried]);
    });

    test('is over at once when the pipe ends meanwhile, with that reason', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const call = peer.request('a');
      const closing = peer.close({ timeoutMs: Infinity });
      await raw.next();
      raw.destroy();
      await expect(call).rejects.toMatchObject({ code: 'PIPE_ENDED' });
      await closing;
    });

    test('refuses new calls', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const call = peer.request('a');
      const { id } = await raw.nextRequest();
      const closing = peer.close();
      await expect(peer.request('b')).rejects.toMatchObject(closedHere);
      await expect(peer.batch([{ method: 'b' }])).rejects.toMatchObject(closedHere);
      expect(() => peer.open('b')).toThrow(closedHere.message);
      raw.answer(id, 'done');
      await Promise.all([call, closing]);
      expect(() => peer.notify('b')).toThrow(expect.objectContaining({ code: 'PIPE_ENDED' }) as Error);
    });
  });

  describe('with calls of the other end under way', () => {
    test.each(['serial', 'concurrent'] as const)('finishes and answers them, %s', async (handling) => {
      const { peer, raw } = peerAndRawEnd(framing, { handling });
      const work = deferred();
      peer.handle('work', work.handler);
      raw.send(...[1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'work' })));
      await allHandled(peer, raw);
      const closing = peer.close();
      work.finishAll();
      expect(await raw.take(2)).toMatchObject([
        { id: 1, result: 'done' },
        { id: 2, result: 'done' },
      ]);
      await closing;
      await raw.inputEnded;
    });

    test('refuses new ones with an error, and still hears notifications', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const work = deferred();
      peer.handle('work', work.handler);
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      await allHandled(peer, raw);
      const closing = peer.close();
      raw.send({ jsonrpc: '2.0', id: 2, method: 'work' });
      expect(await raw.next()).toEqual({
        jsonrpc: '2.0',
        id: 2,
        error: { code: -32000, message: 'This end is closing' },
      });
      await allHandled(peer, raw);
      work.finishAll();
      expect(await raw.next()).toMatchObject({ id: 1, result: 'done' });
      await closing;
    });

    test('a handler may still stream and call while it finishes', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const work = deferred();
      peer.handle('work', async (params, context) => {
        const result = await work.handler(params, context);
        peer.notify('progress', [1]);
        return result;
      });
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      await allHandled(peer, raw);
      const closing = peer.close();
      work.finishAll();
      expect(await raw.take(2)).toMatchObject([{ method: 'progress' }, { id: 1, result: 'done' }]);
      await closing;
    });

    test('fires their signals and answers nothing when asked to abort', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { handling: 'serial' });
      const work = deferred();
      peer.handle('work', work.handler);
      raw.send(...[1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'work' })));
      await allHandled(peer, raw);
      await peer.close({ pending: 'abort' });
      await raw.inputEnded;
      expect(work.contexts.map(({ signal }) => signal.reason as unknown)).toMatchObject([closedHere]);
      work.finishAll();
      expect(raw.received).toEqual([]);
    });

    test('asked to answer, it fails our own at once and finishes those of the other end', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      peer.handle('work', async () => {
        const failure: unknown = await peer.request('help').catch((error: unknown) => error);
        // The way of an answer may be longer than one step.
        for (let step = 0; step < 10; step++) await Promise.resolve();
        return failure instanceof Error ? failure.message : 'helped';
      });
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      await raw.nextRequest();
      const closing = peer.close({ pending: 'answer', timeoutMs: Infinity });
      expect(await raw.next()).toMatchObject({ id: 1, result: closedHere.message });
      await closing;
      await raw.inputEnded;
    });

    test('a handler that never ends is given up when the time is over', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { clock });
      const work = deferred();
      peer.handle('work', work.handler);
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      await allHandled(peer, raw);
      const closing = peer.close({ timeoutMs: 50 });
      clock.advance(50);
      await closing;
      expect(work.contexts[0]?.signal.aborted).toBe(true);
    });

    test('a cancelled one is not waited for', async () => {
      const cancel = {
        method: 'cancel',
        notification: (id: number) => ({ method: 'cancel', params: [id] }),
        idIn: (params: unknown) => (params as number[])[0],
      };
      const { peer, raw } = peerAndRawEnd(framing, { cancel });
      const work = deferred();
      peer.handle('work', work.handler);
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      await allHandled(peer, raw);
      const closing = peer.close({ timeoutMs: Infinity });
      raw.notify('cancel', [1]);
      await expect(closing).resolves.toBeUndefined();
    });

    test('one after a cancelled one that has ended is waited for', async () => {
      const cancel = {
        method: 'cancel',
        notification: (id: number) => ({ method: 'cancel', params: [id] }),
        idIn: (params: unknown) => (params as number[])[0],
      };
      const { peer, raw } = peerAndRawEnd(framing, { cancel });
      const [cancelled, work] = [deferred(), deferred()];
      peer.handle('cancelled', cancelled.handler);
      peer.handle('work', work.handler);
      raw.send({ jsonrpc: '2.0', id: 1, method: 'cancelled' });
      raw.notify('cancel', [1]);
      await allHandled(peer, raw);
      cancelled.finishAll();
      raw.send({ jsonrpc: '2.0', id: 2, method: 'work' });
      await allHandled(peer, raw);
      const closing = peer.close({ timeoutMs: Infinity });
      await allHandled(peer, raw);
      work.finishAll();
      expect(await raw.next()).toMatchObject({ id: 2, result: 'done' });
      await closing;
    });

    test.each(['serial', 'concurrent'] as const)(
      'what is there of a batch is answered when the rest is aborted, %s',
      async (handling) => {
        const { peer, raw } = peerAndRawEnd(framing, { handling });
        peer.handle('now', () => 'now');
        peer.handle('work', deferred().handler);
        raw.send(['now', 'work', 'work'].map((method, id) => ({ jsonrpc: '2.0', id, method })));
        await allHandled(peer, raw);
        const closing = peer.close({ pending: 'abort' });
        expect(await raw.next()).toEqual([{ jsonrpc: '2.0', id: 0, result: 'now' }]);
        await closing;
      },
    );

    test('the answers of a batch are finished as one', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const work = deferred();
      peer.handle('work', work.handler);
      raw.send([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'work' })));
      await allHandled(peer, raw);
      const closing = peer.close();
      work.finishAll();
      expect(await raw.next()).toHaveLength(2);
      await closing;
    });
  });

  describe('when the other end stops sending', () => {
    test('its requests are finished and answered, then this end ends too', async () => {
      const { peer, raw } = peerAndRawEnd(framing, { handling: 'serial' });
      const work = deferred();
      peer.handle('work', work.handler);
      raw.send(...[1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'work' })));
      raw.end();
      expect(await peer.ended).toEqual({ kind: 'ended' });
      expect(peer.stats().handling).toBe(3);
      work.finishAll();
      expect(await raw.take(3)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
      await raw.inputEnded;
      expect(await peer.closed).toEqual({ kind: 'ended' });
    });

    test('a last request without its line end is answered too', async () => {
      const { peer, raw } = peerAndRawEnd('lines');
      peer.handle('ping', () => 'pong');
      raw.write('{"jsonrpc":"2.0","id":1,"method":"ping"}');
      raw.end();
      expect(await raw.next()).toMatchObject({ id: 1, result: 'pong' });
      expect(await peer.closed).toEqual({ kind: 'ended' });
    });

    test('all its answers are sent, however slowly it reads, even when this end closes meanwhile', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      peer.handle('read', () => 'x'.repeat(50 * KiB));
      raw.send(...Array.from({ length: 20 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'read' })));
      await allHandled(peer, raw);
      raw.pause();
      raw.end();
      await peer.ended;
      const closing = peer.close();
      raw.resume();
      expect(await raw.take(20)).toHaveLength(20);
      await closing;
    });

    test('a handler that never ends is ended by close', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const work = deferred();
      peer.handle('work', work.handler);
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      raw.end();
      await peer.ended;
      await peer.close({ pending: 'abort' });
      expect(await peer.closed).toEqual({ kind: 'ended' });
      expect(work.contexts[0]?.signal.aborted).toBe(true);
    });

    test('a handler that never ends is ended when the answers cannot be read any more', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const work = deferred();
      peer.handle('work', work.handler);
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      raw.end();
      await peer.ended;
      expect(work.contexts[0]?.signal.aborted).toBe(false);
      raw.destroy();
      expect(await peer.closed).toEqual({ kind: 'ended' });
      expect(work.contexts[0]?.signal.reason).toMatchObject({ code: 'PIPE_ENDED' });
    });

    test('a broken pipe ends its requests without answers', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      const work = deferred();
      peer.handle('work', work.handler);
      raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
      await allHandled(peer, raw);
      raw.destroy(new Error('read ECONNRESET'));
      expect(await peer.closed).toMatchObject({ kind: 'failed', error: { message: 'read ECONNRESET' } });
      expect(work.contexts[0]?.signal.reason).toMatchObject({ code: 'PIPE_ENDED' });
      expect(peer.stats().handling).toBe(0);
      work.finishAll();
    });
  });

  describe('when the other end does not read', () => {
    test('flushing is given up when the time is over', async () => {
      const clock = fakeClock();
      const { peer, raw } = peerAndRawEnd(framing, { clock });
      raw.pause();
      fill(peer);
      const closing = peer.close({ timeoutMs: 1000 });
      clock.advance(1000);
      await closing;
      expect(await peer.closed).toEqual({ kind: 'closed' });
    });

    test('flushing goes on when it reads again', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      raw.pause();
      const sent = fill(peer);
      const closing = peer.close();
      raw.resume();
      expect(await raw.take(sent)).toHaveLength(sent);
      await closing;
    });

    test('all is flushed although the other end stops sending meanwhile', async () => {
      const { peer, raw } = peerAndRawEnd(framing);
      raw.pause();
      const sent = fill(peer);
      const closing = peer.close();
      raw.end();
      await peer.ended;
      raw.resume();
      expect(await raw.take(sent)).toHaveLength(sent);
      await closing;
    });
  });

  test('closing inside a listener or handler lets the messages around it be', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const heard: unknown[] = [];
    peer.onNotification('said', (params) => {
      heard.push(params);
      void peer.close();
    });
    peer.handle('work', () => 'done');
    raw.send(
      { jsonrpc: '2.0', id: 1, method: 'work' },
      { jsonrpc: '2.0', method: 'said', params: [1] },
      { jsonrpc: '2.0', id: 2, method: 'work' },
      { jsonrpc: '2.0', method: 'said', params: [2] },
    );
    expect(await raw.take(2)).toMatchObject([
      { id: 1, result: 'done' },
      { id: 2, error: { code: -32000 } },
    ]);
    await peer.closed;
    expect(heard).toEqual([[1], [2]]);
  });

  test('nothing more is sent after the close', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const work = deferred();
    peer.handle('work', work.handler);
    raw.send({ jsonrpc: '2.0', id: 1, method: 'work' });
    expect(await unread(peer, raw)).toEqual([]);
    await peer.close({ pending: 'abort' });
    work.finishAll();
    await raw.inputEnded;
    expect(raw.received.filter((message) => 'id' in (message as object))).toEqual([]);
  });
});

/** Queues more than a pair in memory takes in; gives the number of messages. */
function fill(peer: { notify(method: string, params: unknown): boolean }): number {
  for (let sent = 1; ; sent++) if (!peer.notify('fill', ['x'.repeat(10 * KiB)])) return sent;
}

/** A handler whose answers come when the test says so; those that start later are answered at once. */
function deferred() {
  const contexts: CallContext[] = [];
  let finishAll = () => {};
  const finished = new Promise<void>((resolve) => (finishAll = resolve));
  const handler = async (_: unknown, context: CallContext) => {
    contexts.push(context);
    await finished;
    return 'done';
  };
  return { contexts, handler, finishAll };
}
