// Whatever an engine sends, the plugin answers or reports it, and lives: an honest ping after it is answered.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { servedPlugin, type PluginUnderTest } from '../../../test/support/dialect/gassist/author-end.ts';
import { frame } from '../../../test/support/channel/raw-end.ts';
import { MESSAGE_BYTES } from './schema.ts';

describe('what is no message', () => {
  // requirement: gassist:codes:parse-error, gassist:codes:invalid-request, gassist:codes:method-not-found
  test.each([
    ['no JSON', '{"jsonrpc', -32700],
    ['no JSON-RPC', '{"hello":1}', -32600],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"dance"}', -32601],
  ])('%s is answered with its code', async (_, body, code) => {
    const plugin = servedPlugin();
    plugin.raw.sendText(body);
    const answers = await upToPong(plugin);
    expect(answers).toContainEqual(
      expect.objectContaining({ error: expect.objectContaining({ code }) as unknown }),
    );
  });

  test('unknown notifications, and requests that came as notifications, are for nobody', async () => {
    const plugin = servedPlugin();
    for (const method of ['dance', 'initialize', 'execute', 'input', 'ping']) plugin.raw.notify(method, {});
    expect(await upToPong(plugin)).toEqual([]);
  });

  // requirement: gassist:author:oversize, gassist:sdk:framing, gassist:framing:length
  test('a message over 10 MiB is answered, reported and survived', async () => {
    const plugin = servedPlugin();
    const content = 'x'.repeat(MESSAGE_BYTES);
    plugin.raw.send({ jsonrpc: '2.0', id: 5, method: 'input', params: { content } });
    expect(await upToPong(plugin)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'log',
        params: {
          level: 'warn',
          message: expect.stringContaining('which was skipped: the limit is 10485760.') as unknown,
        },
      },
      {
        jsonrpc: '2.0',
        id: 5,
        error: { code: -32600, message: expect.stringContaining('over the limit for receiving') as unknown },
      },
    ]);
  });

  test('one of exactly 10 MiB is taken', async () => {
    const plugin = servedPlugin({
      tools: { size: { handler: ({ text }) => String(JSON.stringify(text).length - 2) } },
    });
    const message = (text: string) => ({
      jsonrpc: '2.0',
      id: 5,
      method: 'execute',
      params: { function: 'size', arguments: { text } },
    });
    const length = MESSAGE_BYTES - JSON.stringify(message('')).length;
    plugin.raw.send(message('x'.repeat(length)));
    expect(await plugin.raw.next()).toMatchObject({ method: 'complete', params: { data: String(length) } });
  });
});

describe('any input', () => {
  test('in any pieces is read the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (sizes) => {
        const plugin = servedPlugin();
        const bytes = Buffer.concat(
          [1, 2].map((id) =>
            frame(
              'length-prefix',
              `{"jsonrpc":"2.0","id":${id},"method":"ping","params":{"timestamp":${id}}}`,
            ),
          ),
        );
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          plugin.raw.write(bytes.subarray(at, at + size));
          at += size;
        }
        expect(await plugin.raw.take(2)).toEqual(
          [1, 2].map((id) => ({ jsonrpc: '2.0', id, result: { timestamp: id } })),
        );
        plugin.served.close();
      }),
      { numRuns: 20 },
    );
  });

  // requirement: gassist:author:reserved-keys
  test('any params of any method are answered, and only pings and inputs look like pongs and acknowledgements', async () => {
    const methods = ['initialize', 'ping', 'execute', 'input', 'shutdown-not', '__proto__'];
    const plugin = servedPlugin({ onInput: () => '', tools: { echo: { handler: (args) => args } } });
    let id = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...methods), arbitraryParams(), async (method, params) => {
        id += 1;
        plugin.ask(id, method, params);
        const answer = await endOf(plugin, id);
        const keys = Object.keys(answer.result ?? {});
        expect(keys.includes('timestamp')).toBe(method === 'ping' && answer.result !== undefined);
        expect(keys.includes('acknowledged')).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test('noise between frames is skipped', async () => {
    const plugin = servedPlugin();
    plugin.raw.write('Hello from a host that prints\n');
    expect(await upToPong(plugin)).toEqual([]);
  });
});

describe('a flood', () => {
  // requirement: gassist:author:backpressure
  test('a generator that is not read from waits, and all of it comes', async () => {
    let yielded = 0;
    const text = 'x'.repeat(64 * 1024);
    const plugin = servedPlugin({
      tools: {
        flood: {
          async *handler() {
            for (; yielded < 100; yielded += 1) yield text;
          },
        },
      },
    });
    plugin.raw.pause();
    plugin.ask(3, 'execute', { function: 'flood' });
    // A pipe holds so much that all else stands still: nothing happens any more when it is full.
    await settled(() => yielded);
    expect(yielded).toBeLessThan(20);
    plugin.raw.resume();
    const messages = await plugin.raw.take(101);
    expect(messages.at(-1)).toMatchObject({ method: 'complete', params: { data: '' } });
  });

  test('a function that streams all at once more than waits for the engine is told to end', async () => {
    const plugin = servedPlugin({
      tools: {
        flood: {
          handler: (_, { stream }) => {
            const text = 'x'.repeat(1024 * 1024);
            for (let count = 0; count < 40; count++) stream(text);
          },
        },
      },
    });
    plugin.ask(3, 'execute', { function: 'flood' });
    const end = await endOf(plugin, 3);
    expect(end).toMatchObject({ method: 'error', params: { request_id: 3 } });
  });
});

type Message = {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly request_id?: unknown };
  readonly result?: object;
};

/** What came before the answer to a ping that is sent now. */
async function upToPong(plugin: PluginUnderTest): Promise<unknown[]> {
  plugin.ask('the last', 'ping');
  const before: unknown[] = [];
  for (;;) {
    const message = (await plugin.raw.next()) as Message;
    if (message.id === 'the last') return before;
    before.push(message);
  }
}

/** The response to a request, or the notification that ends it. */
async function endOf(plugin: PluginUnderTest, id: number): Promise<Message> {
  for (;;) {
    const message = (await plugin.raw.next()) as Message;
    if (message.id === id) return message;
    if (message.params?.request_id === id && message.method !== 'stream') return message;
  }
}

function arbitraryParams(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom(undefined, null, {}, []),
    fc.dictionary(
      fc.constantFrom(
        'function',
        'arguments',
        'context',
        'content',
        'timestamp',
        'protocol_version',
        '__proto__',
      ),
      fc.oneof(fc.constantFrom('echo', '2.0'), fc.jsonValue()),
    ),
  );
}

/** Resolves when a number has not changed for a hundred turns of the event loop. */
async function settled(read: () => number): Promise<void> {
  for (let last = -1, turns = 0; turns < 100; turns += 1) {
    await new Promise(setImmediate);
    if (read() !== last) turns = 0;
    last = read();
  }
}
