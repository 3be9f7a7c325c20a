// The contract of a peer, held over both framings, against our own kind and against a plain reference implementation.
import { expect, describe, onTestFinished, test } from 'vitest';
import { PassThrough } from 'node:stream';
import {
  framingNames,
  framingOf,
  peerAndRawEnd,
  RawEnd,
  type FramingName,
} from '../../../test/support/raw-end.ts';
import { ReferencePeer, type CallEnd } from '../../../test/support/reference-peer.ts';
import { streamPipe } from '../bytes/stream-pipe.ts';
import { framedLink } from '../link/framed-link.ts';
import { RpcError } from '../message/rpc-error.ts';
import { Peer } from './peer.ts';

type Ends = { readonly a: CallEnd; readonly b: CallEnd };

const kinds: Record<string, (framing: FramingName) => Ends> = {
  'two of our peers': (framing) => {
    const [there, back] = [new PassThrough(), new PassThrough()];
    const a = new Peer(framedLink(streamPipe(back, there), framingOf(framing)));
    const b = new Peer(framedLink(streamPipe(there, back), framingOf(framing)));
    onTestFinished(async () => {
      await Promise.all([a.close({ pending: 'abort' }), b.close({ pending: 'abort' })]);
    });
    return { a, b };
  },
  'our peer calling the reference': (framing) => {
    const { peer, raw } = peerAndRawEnd(framing);
    return { a: peer, b: new ReferencePeer(raw) };
  },
  'the reference calling our peer': (framing) => {
    const { peer, raw } = peerAndRawEnd(framing);
    return { a: new ReferencePeer(raw), b: peer };
  },
  'two references': (framing) => {
    const [there, back] = [new PassThrough(), new PassThrough()];
    return {
      a: new ReferencePeer(new RawEnd(back, there, framing)),
      b: new ReferencePeer(new RawEnd(there, back, framing)),
    };
  },
};

const setups = framingNames.flatMap((framing) => Object.keys(kinds).map((kind) => ({ framing, kind })));

describe.each(setups)('$kind over $framing', ({ framing, kind }) => {
  const open = () => {
    const ends = kinds[kind]?.(framing);
    if (ends === undefined) throw new Error(`no kind ${kind}`);
    return ends;
  };

  test('a request is answered with what its handler returned', async () => {
    const { a, b } = open();
    b.handle('echo', (params) => params);
    expect(await a.request('echo', { text: 'hello', list: [1, null, true] })).toEqual({
      text: 'hello',
      list: [1, null, true],
    });
    expect(await a.request('echo', ['a', 2])).toEqual(['a', 2]);
  });

  test.each([
    ['ASCII', 'plain'],
    ['two bytes', 'naïve straße'],
    ['three and four bytes', '漢字 and 😀'],
    ['line breaks and quotes', '"a"\n\\b\r\n\u0000\u2028'],
  ])('text survives: %s', async (_, text) => {
    const { a, b } = open();
    b.handle('echo', (params) => params);
    expect(await a.request('echo', [text])).toEqual([text]);
  });

  test('params may be absent', async () => {
    const { a, b } = open();
    b.handle('count', (params) => (params === undefined ? 'none' : 'some'));
    expect(await a.request('count')).toBe('none');
  });

  test('a handler may be asynchronous', async () => {
    const { a, b } = open();
    b.handle('later', async (params) => {
      await Promise.resolve();
      return params;
    });
    expect(await a.request('later', [1])).toEqual([1]);
  });

  test('nothing returned arrives as null', async () => {
    const { a, b } = open();
    b.handle('nothing', () => undefined);
    b.handle('nothing later', async () => {});
    expect(await a.request('nothing')).toBeNull();
    expect(await a.request('nothing later')).toBeNull();
  });

  test('an error arrives with its code, message and data', async () => {
    const { a, b } = open();
    b.handle('refuse', () => {
      throw new RpcError(-32001, 'Not today', { until: 'tomorrow' });
    });
    b.handle('refuse later', async () => {
      throw new RpcError(7, 'Not yet');
    });
    await expect(a.request('refuse')).rejects.toMatchObject({
      code: -32001,
      message: 'Not today',
      data: { until: 'tomorrow' },
    });
    await expect(a.request('refuse later')).rejects.toMatchObject({
      code: 7,
      message: 'Not yet',
      data: undefined,
    });
  });

  test('an unknown method is answered with -32601', async () => {
    const { a } = open();
    await expect(a.request('missing')).rejects.toMatchObject({ code: -32601, message: 'Method not found' });
  });

  test('notifications arrive in their order', async () => {
    const { a, b } = open();
    const heard: unknown[] = [];
    b.onNotification('said', (params) => heard.push(params));
    b.handle('heard', () => heard);
    for (let i = 0; i < 100; i++) a.notify('said', [i]);
    expect(await a.request('heard')).toEqual(Array.from({ length: 100 }, (_, i) => [i]));
  });

  test('a notification that nobody listens to is ignored', async () => {
    const { a, b } = open();
    b.handle('ping', () => 'pong');
    a.notify('nobody', {});
    expect(await a.request('ping')).toBe('pong');
  });

  test('many requests under way are told apart', async () => {
    const { a, b } = open();
    const release: (() => void)[] = [];
    b.handle('wait', (params) => new Promise((resolve) => release.push(() => resolve(params))));
    b.handle('go', () => {
      // Last come, first answered.
      for (const answer of release.reverse()) answer();
      return release.length;
    });
    const calls = Array.from({ length: 200 }, (_, i) => a.request('wait', [i]));
    expect(await a.request('go')).toBe(200);
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 200 }, (_, i) => [i]));
  });

  test('both ends call each other at once, even for one answer', async () => {
    const { a, b } = open();
    a.handle('name', () => 'Ada');
    b.handle('greet', async () => `Hello ${String(await b.request('name'))}`);
    expect(await a.request('greet')).toBe('Hello Ada');
  });

  test('a batch brings its outcomes in the order of the calls', async () => {
    const { a, b } = open();
    const heard: unknown[] = [];
    b.onNotification('said', (params) => heard.push(params));
    b.handle('double', (params) => (params as number[]).map((n) => n * 2));
    b.handle('fail', () => {
      throw new RpcError(3, 'Failed');
    });
    b.handle('heard', () => heard);
    const outcomes = await a.batch([
      { method: 'double', params: [1] },
      { method: 'said', params: ['x'], notify: true },
      { method: 'fail' },
      { method: 'missing' },
      { method: 'heard' },
    ]);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: [2] },
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason: { code: 3, message: 'Failed' } },
      { status: 'rejected', reason: { code: -32601 } },
      { status: 'fulfilled', value: [['x']] },
    ]);
  });

  test('a batch of notifications alone is heard and not answered', async () => {
    const { a, b } = open();
    const heard: unknown[] = [];
    b.onNotification('said', (params) => heard.push(params));
    b.handle('heard', () => heard);
    await a.batch([
      { method: 'said', params: [1], notify: true },
      { method: 'said', params: [2], notify: true },
    ]);
    expect(await a.request('heard')).toEqual([[1], [2]]);
  });

  test('a message of several megabytes goes both ways', async () => {
    const { a, b } = open();
    b.handle('echo', (params) => params);
    const text = 'x'.repeat(2_000_000) + 'é'.repeat(1_000_000);
    expect(await a.request('echo', { text })).toEqual({ text });
  });
});
