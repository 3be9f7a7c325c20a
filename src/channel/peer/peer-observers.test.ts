import { describe, expect, test } from 'vitest';
import {
  allHandled,
  framingNames,
  peerAndRawEnd,
  withTrouble,
} from '../../../test/support/channel/raw-end.ts';
import type { Observer } from './options.ts';

describe.each(framingNames)('observers over %s', (framing) => {
  test('see every message of both directions, in the order of the wire', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const { seen, observer } = recorder();
    peer.observe(observer);
    peer.handle('ping', () => 'pong');
    peer.notify('hello', [1]);
    const call = peer.request('work');
    const [, request] = await raw.take(2);
    raw.send({ jsonrpc: '2.0', id: 9, method: 'ping' });
    raw.sendText('{no json');
    raw.send([{ jsonrpc: '2.0', method: 'said' }]);
    raw.send({ jsonrpc: '2.0', id: (request as { id: number }).id, result: 'done' });
    await call;
    await peer.batch([{ method: 'bye', notify: true }]);
    expect(seen).toEqual([
      ['sent', { kind: 'notification', method: 'hello', params: [1] }],
      ['sent', { kind: 'request', id: 1, method: 'work', params: undefined }],
      ['received', { kind: 'request', id: 9, method: 'ping', params: undefined }],
      ['sent', { kind: 'success', id: 9, result: 'pong' }],
      ['received', { kind: 'invalid', as: 'parse', id: null, reason: 'it is not JSON', text: '{no json' }],
      ['sent', { kind: 'failure', id: null, error: { code: -32700, message: 'Parse error' } }],
      ['received', { kind: 'batch', items: [{ kind: 'notification', method: 'said', params: undefined }] }],
      ['received', { kind: 'success', id: 1, result: 'done' }],
      ['sent', { kind: 'batch', items: [{ kind: 'notification', method: 'bye', params: undefined }] }],
    ]);
  });

  test('see a message before it is handled', async () => {
    const { peer, raw } = peerAndRawEnd(framing);
    const order: string[] = [];
    peer.observe((direction) => order.push(direction));
    peer.onNotification('said', () => order.push('handled'));
    raw.notify('said');
    await allHandled(peer, raw);
    expect(order).toEqual(['received', 'handled', 'received']);
  });

  test('do not see what could not be sent', async () => {
    const { peer } = peerAndRawEnd(framing, { sendLimit: 100 });
    const { seen, observer } = recorder();
    peer.observe(observer);
    await expect(peer.request('work', ['x'.repeat(200)])).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE' });
    expect(() => peer.notify('work', [1n])).toThrow('JSON');
    expect(seen).toEqual([]);
  });

  test('see what their fellow sees, even when he throws', async () => {
    const { peer, raw, troubles } = withTrouble(framing);
    const { seen, observer } = recorder();
    peer.observe(() => {
      throw new Error('observer broke');
    });
    peer.observe(observer);
    peer.handle('ping', () => 'pong');
    raw.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(await raw.next()).toMatchObject({ result: 'pong' });
    expect(seen).toHaveLength(2);
    expect(troubles).toMatchObject([
      { kind: 'thrown', where: 'an observer', error: { message: 'observer broke' } },
      { kind: 'thrown', where: 'an observer' },
    ]);
  });

  test('may be asynchronous and fail: that is told as trouble', async () => {
    const { peer, trouble } = withTrouble(framing);
    peer.observe(async () => {
      throw new Error('observer broke later');
    });
    peer.notify('hello');
    expect(await trouble).toMatchObject({ kind: 'thrown', error: { message: 'observer broke later' } });
  });

  test('are left alone after they ended it, also in the middle of a message', () => {
    const { peer } = peerAndRawEnd(framing);
    const { seen, observer } = recorder();
    const end = peer.observe(observer);
    const endOnce = peer.observe(() => endOnce());
    peer.notify('one');
    end();
    end();
    peer.notify('two');
    expect(seen).toMatchObject([['sent', { method: 'one' }]]);
  });

  test('one that is added twice is told twice and ended one by one', () => {
    const { peer } = peerAndRawEnd(framing);
    const { seen, observer } = recorder();
    const first = peer.observe(observer);
    const second = peer.observe(observer);
    peer.notify('one');
    first();
    peer.notify('two');
    second();
    peer.notify('three');
    expect(seen.map(([, message]) => (message as { method: string }).method)).toEqual(['one', 'one', 'two']);
  });
});

function recorder() {
  const seen: Parameters<Observer>[] = [];
  const observer: Observer = (...args) => void seen.push(args);
  return { seen, observer };
}
