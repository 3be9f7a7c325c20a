// The contract of a peer, held over both framings, against our own kind and against a plain reference implementation.
import { describe, expect, onTestFinished, test } from 'vitest';
import { PassThrough } from 'node:stream';
import {
  RawEnd,
  framingNames,
  framingOf,
  peerAndRawEnd,
  type FramingName,
} from '../../../test/support/channel/raw-end.ts';
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

// A peer as one would write it in an afternoon: a Map, JSON.parse, promises. Ours must be able to talk to it, and to behave like it.

/** What both can do. */
interface CallEnd {
  request(method: string, params?: unknown): Promise<unknown>;
  notify(method: string, params?: unknown): unknown;
  batch(
    calls: readonly { readonly method: string; readonly params?: unknown; readonly notify?: boolean }[],
  ): Promise<PromiseSettledResult<unknown>[]>;
  handle(method: string, handler: (params: unknown) => unknown): void;
  onNotification(method: string, listener: (params: unknown) => void): void;
}

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };
type Wire = { id?: unknown; method?: string; params?: unknown; result?: unknown; error?: ErrorObject };
type ErrorObject = { code: number; message: string; data?: unknown };

class RemoteError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: ErrorObject) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

class ReferencePeer implements CallEnd {
  readonly #end: RawEnd;
  readonly #pending = new Map<unknown, Waiting>();
  readonly #handlers = new Map<string, (params: unknown) => unknown>();
  readonly #listeners = new Map<string, (params: unknown) => void>();
  #lastId = 0;

  constructor(end: RawEnd) {
    this.#end = end;
    end.onMessage((message) => void this.#receive(message));
  }

  request(method: string, params?: unknown): Promise<unknown> {
    const { message, result } = this.#prepare(method, params);
    this.#end.send(message);
    return result;
  }

  notify(method: string, params?: unknown): void {
    this.#end.notify(method, params);
  }

  batch(
    calls: readonly { readonly method: string; readonly params?: unknown; readonly notify?: boolean }[],
  ): Promise<PromiseSettledResult<unknown>[]> {
    const prepared = calls.map(({ method, params, notify }) =>
      notify === true
        ? { message: { jsonrpc: '2.0', method, params }, result: Promise.resolve(undefined) }
        : this.#prepare(method, params),
    );
    this.#end.send(prepared.map(({ message }) => message));
    return Promise.allSettled(prepared.map(({ result }) => result));
  }

  handle(method: string, handler: (params: unknown) => unknown): void {
    this.#handlers.set(method, handler);
  }

  onNotification(method: string, listener: (params: unknown) => void): void {
    this.#listeners.set(method, listener);
  }

  #prepare(method: string, params: unknown): { message: unknown; result: Promise<unknown> } {
    this.#lastId += 1;
    const id = this.#lastId;
    const result = new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    return { message: { jsonrpc: '2.0', id, method, params }, result };
  }

  async #receive(message: unknown): Promise<void> {
    if (!Array.isArray(message)) {
      const answer = await this.#receiveSingle(message as Wire);
      if (answer !== undefined) this.#end.send(answer);
      return;
    }
    const answers = await Promise.all(message.map((item) => this.#receiveSingle(item as Wire)));
    const present = answers.filter((answer) => answer !== undefined);
    if (present.length > 0) this.#end.send(present);
  }

  async #receiveSingle({ id, method, params, result, error }: Wire): Promise<unknown> {
    if (method !== undefined) {
      if (id !== undefined) return this.#answer(id, method, params);
      this.#listeners.get(method)?.(params);
      return undefined;
    }
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new RemoteError(error));
    return undefined;
  }

  async #answer(id: unknown, method: string, params: unknown): Promise<unknown> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) {
      return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
    }
    try {
      return { jsonrpc: '2.0', id, result: (await handler(params)) ?? null };
    } catch (thrown) {
      const { code = -32603, message, data } = thrown as Partial<ErrorObject>;
      return { jsonrpc: '2.0', id, error: { code, message, data } };
    }
  }
}
