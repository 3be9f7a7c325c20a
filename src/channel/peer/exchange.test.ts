import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allHandled,
  framingNames,
  peerAndRawEnd,
  withTrouble,
} from '../../../test/support/channel/raw-end.ts';
import type { Response } from '../message/message.ts';
import { OpenExchange, PendingExchanges } from './exchange.ts';

describe.each(framingNames)('an exchange over %s', (framing) => {
  test('has its id and method', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const exchange = peer.open('work', { size: 1 });
    expect(exchange).toMatchObject({ id: 1, method: 'work' });
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 1, method: 'work', params: { size: 1 } });
  });

  test('has an id of its own where its caller gives it one, and numbers go on beside it', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const named = peer.open('work', undefined, { id: '7#2' });
    expect(named).toMatchObject({ wireId: '7#2' });
    expect(() => peer.open('work', undefined, { id: '7#2' })).toThrow(/"7#2" is under way already/);
    const numbered = peer.request('work');
    const [, second] = await raw.take(2);
    expect(raw.received).toMatchObject([{ id: '7#2' }, { id: expect.any(Number) as number }]);
    const { id } = second as { id: number };
    // The number that it would have had belongs to nobody.
    raw.answer(named.id, 'stray');
    raw.answer('7#2', 'named');
    raw.answer(id, 'numbered');
    expect([await named.result, await numbered]).toEqual(['named', 'numbered']);
    expect(peer.stats()).toMatchObject({ inFlight: 0, requestsSent: 2 });
    peer.open('work', undefined, { id: '7#2' }).abandon(new Error('enough'));
    raw.answer('7#2', 'late');
    await allHandled(peer, raw);
    expect(peer.stats()).toMatchObject({ inFlight: 0, lateResponses: 1 });
  });

  test('sees its response in wire order: what was sent before is handled before, what was sent after is handled after', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const seen: unknown[] = [];
    peer.onNotification('stream', (params) => seen.push(params));
    const exchange = peer.open('work');
    exchange.onResponse((response) => seen.push(response));
    const { id } = await raw.nextRequest();
    raw.send(
      { jsonrpc: '2.0', method: 'stream', params: [1] },
      { jsonrpc: '2.0', method: 'stream', params: [2] },
      { jsonrpc: '2.0', id, result: 'done' },
      { jsonrpc: '2.0', method: 'stream', params: [3] },
    );
    expect(await exchange.result).toBe('done');
    expect(seen).toEqual([[1], [2], { kind: 'success', id, result: 'done' }, [3]]);
  });

  test('sees an error response too', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const exchange = peer.open('work');
    const seen = new Promise<Response>((resolve) => exchange.onResponse(resolve));
    raw.send({
      jsonrpc: '2.0',
      id: (await raw.nextRequest()).id,
      error: { code: 5, message: 'no', data: [1] },
    });
    expect(await seen).toEqual({ kind: 'failure', id: 1, error: { code: 5, message: 'no', data: [1] } });
    await expect(exchange.result).rejects.toMatchObject({
      name: 'RpcError',
      code: 5,
      message: 'no',
      data: [1],
    });
  });

  test('tells synchronously that it ended without a response, and not that it ended with one', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const failures: string[] = [];
    const answered = peer.open('answered');
    const refused = peer.open('refused');
    const abandoned = peer.open('abandoned');
    const cut = peer.open('cut');
    for (const exchange of [answered, refused, abandoned, cut])
      exchange.onFailure((error) => failures.push(`${exchange.method}: ${error.message}`));
    raw.answer((await raw.nextRequest()).id, 1);
    raw.send({ jsonrpc: '2.0', id: (await raw.nextRequest()).id, error: { code: 5, message: 'no' } });
    await allHandled(peer, raw);
    abandoned.abandon(new Error('enough'));
    expect(failures).toEqual(['abandoned: enough']);
    raw.end();
    await peer.ended;
    expect(failures).toEqual([
      'abandoned: enough',
      'cut: The pipe to the plugin is over: the other end closed it.',
    ]);
  });

  test('a listener of failures that throws keeps nothing from the others', async () => {
    const { peer, raw, trouble } = withTrouble(framing);
    const told: string[] = [];
    peer.open('first').onFailure(() => {
      throw new Error('a bug');
    });
    peer.open('second').onFailure((error) => told.push(error.message));
    raw.end();
    await peer.ended;
    expect(told).toHaveLength(1);
    expect(await trouble).toMatchObject({ kind: 'thrown', error: { message: 'a bug' } });
  });

  test('a listener of trouble that throws keeps nothing from the others either', async () => {
    const { peer, raw } = peerAndRawEnd(framing, {
      onTrouble: () => {
        throw new Error('another bug');
      },
    });
    peer.open('first').onFailure(() => {
      throw new Error('a bug');
    });
    const second = peer.request('second');
    raw.end();
    await expect(second).rejects.toMatchObject({ code: 'PIPE_ENDED' });
    await peer.closed;
  });

  test('its result can be asked for before or after the end, and is the same promise', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const before = peer.open('work');
    const after = peer.open('work');
    const asked = before.result;
    const settled = new Promise((resolve) => after.onResponse(resolve));
    raw.answer((await raw.nextRequest()).id, 'a');
    raw.answer((await raw.nextRequest()).id, 'b');
    await settled;
    expect(before.result).toBe(asked);
    expect(await Promise.all([before.result, after.result])).toEqual(['a', 'b']);
  });

  test('is settled by a notification; the response that still comes counts as a duplicate', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const exchange = peer.open('execute');
    let responses = 0;
    exchange.onResponse(() => (responses += 1));
    peer.onNotification('complete', (params) => exchange.settle(params));
    const { id } = await raw.nextRequest();
    raw.notify('complete', { id });
    expect(await exchange.result).toEqual({ id });
    expect(peer.stats()).toMatchObject({ inFlight: 0, duplicateResponses: 0 });
    raw.answer(id, 'late');
    await allHandled(peer, raw);
    expect(responses).toBe(0);
    expect(peer.stats()).toMatchObject({
      duplicateResponses: 1,
      lateResponses: 0,
      unknownResponses: 0,
      inFlight: 0,
    });
  });

  test('is abandoned: its result rejects with the reason, the response that still comes counts as late', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const exchange = peer.open('work');
    const reason = new Error('not needed any more');
    exchange.abandon(reason);
    await expect(exchange.result).rejects.toBe(reason);
    raw.answer((await raw.nextRequest()).id, 'late');
    await allHandled(peer, raw);
    expect(peer.stats()).toMatchObject({
      lateResponses: 1,
      duplicateResponses: 0,
      cancelled: 1,
      inFlight: 0,
    });
  });

  test('ends once: whatever comes second is ignored', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const exchange = peer.open('work');
    exchange.settle('first');
    exchange.settle('second');
    exchange.abandon(new Error('third'));
    expect(await exchange.result).toBe('first');
    const other = peer.open('work');
    await raw.take(2);
    raw.answer(other.id, 'answered');
    expect(await other.result).toBe('answered');
    other.abandon(new Error('too late'));
    expect(await other.result).toBe('answered');
    expect(peer.stats().cancelled).toBe(0);
  });

  test('nobody has to look at how an abandoned exchange ended', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    // A rejection that nobody handles would fail this test.
    peer.open('work').abandon(new Error('given up'));
    peer.open('work');
    raw.destroy();
    await peer.closed;
    expect(peer.stats().inFlight).toBe(0);
  });

  test('a response listener that throws is told as trouble and keeps nothing back', async () => {
    const { peer, raw, troubles } = withTrouble(framing);
    const exchange = peer.open('work');
    exchange.onResponse(() => {
      throw new Error('listener broke');
    });
    raw.answer((await raw.nextRequest()).id, 'fine');
    expect(await exchange.result).toBe('fine');
    expect(troubles).toMatchObject([
      { kind: 'thrown', where: 'a response listener', error: { message: 'listener broke' } },
    ]);
    await allHandled(peer, raw);
  });

  test('an asynchronous response listener that fails is told as trouble', async () => {
    const { peer, raw, trouble } = withTrouble(framing);
    peer.open('work').onResponse(async () => {
      throw new Error('listener broke later');
    });
    raw.answer((await raw.nextRequest()).id, 'fine');
    expect(await trouble).toMatchObject({ kind: 'thrown', error: { message: 'listener broke later' } });
  });

  test('a listener may open the next exchange', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    raw.onMessage((message) => raw.answer((message as { id: number }).id, 'ok'));
    const steps: number[] = [];
    await new Promise<void>((resolve) => {
      const step = () => {
        const exchange = peer.open('step');
        exchange.onResponse(() => {
          steps.push(exchange.id);
          if (steps.length === 5) resolve();
          else step();
        });
      };
      step();
    });
    expect(steps).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('the table of exchanges under way', () => {
  const MAX_ID = 0x7fffffff;

  test('ids count from 1', () => {
    const pending = new PendingExchanges();
    expect(add(pending, 5).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    expect(pending.size).toBe(5);
  });

  test('an exchange is found by its id until it is removed, once', () => {
    const pending = new PendingExchanges();
    const [first, second] = add(pending, 2);
    expect(pending.get(1)).toBe(first);
    expect(pending.get(2)).toBe(second);
    expect(first !== undefined && pending.remove(first)).toBe(true);
    expect(first !== undefined && pending.remove(first)).toBe(false);
    expect(pending.get(1)).toBeUndefined();
    expect(pending.get(2)).toBe(second);
    expect([...pending]).toEqual([second]);
  });

  test.each([0, -1, 1.5, NaN, Infinity, 17, 2 ** 31 + 1, 2 ** 32 + 1, '1', null, undefined, {}])(
    'nothing is found under %s, which shares a slot with 1 at most',
    (id) => {
      const pending = new PendingExchanges();
      add(pending, 1);
      expect(pending.get(id)).toBeUndefined();
    },
  );

  test('ids go on at 1 after 2^31 - 1', () => {
    const pending = new PendingExchanges(MAX_ID - 2);
    expect(add(pending, 4).map(({ id }) => id)).toEqual([MAX_ID - 1, MAX_ID, 1, 2]);
  });

  test('a call that takes long keeps its id while millions of others come and go', () => {
    const pending = new PendingExchanges();
    const [slow, slower] = add(pending, 2);
    const ids = new Set<number>();
    for (let i = 0; i < 100_000; i++) {
      for (const exchange of add(pending, 3)) {
        ids.add(exchange.id);
        pending.remove(exchange);
      }
    }
    expect(ids.size).toBe(300_000);
    expect(pending.get(1)).toBe(slow);
    expect(pending.get(2)).toBe(slower);
    expect([...pending]).toEqual([slow, slower]);
  });

  test('a call that takes long is stepped over, also after the ids went round', () => {
    const pending = new PendingExchanges(MAX_ID - 1);
    const slow = add(pending, 2);
    expect(slow.map(({ id }) => id)).toEqual([MAX_ID, 1]);
    // The ring has 16 slots, so that 15 and 17 would fall on the slots of these two.
    const ids = Array.from({ length: 30 }, () => {
      const [quick] = add(pending, 1);
      if (quick !== undefined) pending.remove(quick);
      return quick?.id;
    });
    expect(ids.slice(0, 16)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 19]);
    expect([pending.get(MAX_ID), pending.get(1)]).toEqual(slow);
  });

  test('knows which ids were given out', () => {
    const pending = new PendingExchanges();
    add(pending, 3);
    expect([0, 1, 3, 4, 1.5, '1', null].map((id) => pending.wasIssued(id))).toEqual([
      false,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test('after the ids went round, all of them were given out', () => {
    const pending = new PendingExchanges(MAX_ID);
    add(pending, 2);
    expect([1, 2, 3, MAX_ID].map((id) => pending.wasIssued(id))).toEqual([true, true, true, true]);
  });

  test('agrees with a Map through any sequence of additions and removals', () => {
    const steps = fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.constant(-1) }, { weight: 2, arbitrary: fc.nat() }),
      {
        maxLength: 300,
      },
    );
    fc.assert(
      fc.property(steps, fc.constantFrom(0, MAX_ID - 20), (steps, lastId) => {
        const pending = new PendingExchanges(lastId);
        const model = new Map<number, OpenExchange>();
        for (const step of steps) {
          if (step === -1) {
            const [exchange] = add(pending, 1);
            if (exchange !== undefined) model.set(exchange.id, exchange);
          } else {
            const exchange = [...model.values()][step % (model.size || 1)];
            if (exchange !== undefined && pending.remove(exchange)) model.delete(exchange.id);
          }
        }
        expect(pending.size).toBe(model.size);
        expect([...pending].toSorted((a, b) => a.id - b.id)).toEqual(
          [...model.values()].toSorted((a, b) => a.id - b.id),
        );
        for (const [id, exchange] of model) expect(pending.get(id)).toBe(exchange);
      }),
    );
  });
});

function add(pending: PendingExchanges, count: number): OpenExchange[] {
  return Array.from({ length: count }, () => {
    const exchange = new OpenExchange(
      { release: () => true, listenerThrew: () => {} },
      'method',
      0,
      Infinity,
    );
    pending.add(exchange);
    return exchange;
  });
}
