// Calls of tools in a session, which take a way of their own: what it looks like on the wire, and that nothing of a call is left.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/async.ts';
import { definePlugin } from '../../src/definition/define-plugin.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { testEndpoint, type EndpointSetup } from '../support/surface/mcp-endpoint.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const VERSION = '2025-11-25';

async function setup(more: Pick<EndpointSetup, 'clock' | 'specs'> = {}) {
  const begun = deferred<void>();
  const cancelled = deferred<void>();
  const finished = deferred<void>();
  const plugin = definePlugin({
    name: 'ways',
    version: '1.0.0',
    tools: {
      echo: { handler: (args) => args },
      picture: { handler: () => [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] },
      odd: { handler: () => [{ type: 'image', data: 7 }] },
      story: {
        async *handler() {
          yield 'Once ';
          yield 'upon a time.';
        },
      },
      flood: {
        async *handler() {
          for (let n = 0; n < 300; n += 1) yield `${n} ${'é'.repeat(10_000)}`;
        },
      },
      held: {
        async handler() {
          begun.resolve();
          await finished.promise;
          return 'it is done';
        },
      },
      wait: {
        handler: (_: unknown, { signal }) =>
          new Promise<string>((resolve) => {
            begun.resolve();
            signal.addEventListener('abort', () => {
              cancelled.resolve();
              resolve('given up');
            });
          }),
      },
    },
  });
  const at = await testEndpoint({ definitions: [plugin], ...more });
  let session: Record<string, string> = {};
  /** Who does not say its version goes the way of the official package. */
  const send = (body: object, isOther = false, signal?: AbortSignal) => {
    const { 'mcp-protocol-version': version = '', ...rest } = session;
    return fetch(at.url, {
      method: 'POST',
      headers: {
        ...HEADERS,
        ...rest,
        ...(!isOther && version !== '' && { 'mcp-protocol-version': version }),
      },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  };
  const post = (message: object, signal?: AbortSignal) => send({ jsonrpc: '2.0', ...message }, false, signal);
  const clientInfo = { name: 'raw', version: '1.0.0' };
  const params = { protocolVersion: VERSION, capabilities: {}, clientInfo };
  const hello = await post({ id: 'hello', method: 'initialize', params });
  await hello.text();
  session = {
    'mcp-session-id': hello.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': VERSION,
  };
  await (await post({ method: 'notifications/initialized' })).text();
  const call = (name: string, id: string | number, more: object = {}, signal?: AbortSignal) =>
    post({ id, method: 'tools/call', params: { name, ...more } }, signal);
  const goodbye = () => fetch(at.url, { method: 'DELETE', headers: { ...HEADERS, ...session } });
  const listen = () => fetch(at.url, { headers: { ...HEADERS, ...session, accept: 'text/event-stream' } });
  return {
    ...at,
    send,
    post,
    call,
    listen,
    goodbye,
    begun: begun.promise,
    cancelled: cancelled.promise,
    finish: () => finished.resolve(),
  };
}

it('an answer that is all there is to say is JSON', async () => {
  const { call } = await setup();
  const response = await call('echo', 7, { arguments: { text: 'hello' } });
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toMatchObject({
    jsonrpc: '2.0',
    id: 7,
    result: { structuredContent: { text: 'hello' } },
  });
});

it('what is said before makes it a stream that ends with the answer', async () => {
  const { call } = await setup();
  const response = await call('story', 'a', { _meta: { progressToken: 'p' } });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const messages = messagesIn(await response.text());
  expect(messages.at(0)).toMatchObject({ method: 'notifications/progress', params: { message: 'Once ' } });
  expect(messages.at(-1)).toMatchObject({ id: 'a', result: { content: [{ text: 'Once upon a time.' }] } });
});

it.each([
  ['on the straight way', false],
  ['on the other way', true],
])('all that is streamed comes, however much and however fast, %s', async (_, isOther) => {
  const { send } = await setup();
  const params = { name: 'flood', _meta: { progressToken: 'p' } };
  const response = await send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, isOther);
  const messages = messagesIn(await response.text()) as { params?: { message?: string } }[];
  const text = messages.map(({ params }) => params?.message ?? '').join('');
  const all = Array.from({ length: 300 }, (_, n) => `${n} ${'é'.repeat(10_000)}`).join('');
  expect(text === all).toBe(true);
});

it('a tool that is not there is an error with the id of the call', async () => {
  const { call } = await setup();
  expect(await (await call('nothing', 1)).json()).toMatchObject({ id: 1, error: { code: -32_602 } });
});

it('who waits for long hears that somebody is there, and nothing more once it gave up', async () => {
  const { call, post, begun, cancelled } = await setup();
  const response = await call('wait', 2);
  await begun;
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  await post({ method: 'notifications/cancelled', params: { requestId: 2 } });
  await cancelled;
  expect(await response.text()).toBe(': keepalive\n\n');
});

it('who goes away takes the call along', async () => {
  const { call, begun, cancelled } = await setup();
  const leaving = new AbortController();
  const response = call('wait', 3, {}, leaving.signal).catch(() => 'gone');
  await begun;
  leaving.abort();
  await expect(cancelled).resolves.toBeUndefined();
  await expect(response).resolves.toBe('gone');
});

it('the end of the session is the end of its calls', async () => {
  const { call, goodbye, begun, cancelled, endpoint } = await setup();
  const response = call('wait', 4);
  await begun;
  expect((await goodbye()).status).toBe(200);
  await cancelled;
  expect(await (await response).text()).toMatch(/^(: keepalive\n\n)?$/);
  expect(endpoint.sessions).toBe(0);
});

it('an id that is used twice at once leaves the first its answer', async () => {
  const { call, begun, post, cancelled } = await setup();
  const first = call('wait', 5);
  await begun;
  const second = await call('echo', 5, { arguments: {} });
  expect(await second.json()).toMatchObject({ id: 5, error: { code: -32_600 } });
  await post({ method: 'notifications/cancelled', params: { requestId: 5 } });
  await cancelled;
  expect(await (await first).text()).not.toContain('data:');
});

describe('an id that is under way is refused, and leaves the first its answer,', () => {
  const refused = { code: -32_600, message: 'Invalid Request: a call of this id is under way.' };

  it.each([
    ['on the straight way after the other', true, false],
    ['on the other way after the straight one', false, true],
    ['on the other way twice', true, true],
  ])('%s', async (_, isFirstOther, isSecondOther) => {
    const { send, begun, finish } = await setup();
    const call = (name: string, isOther: boolean) =>
      send({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name, arguments: {} } }, isOther);
    const first = call('held', isFirstOther);
    await begun;
    const second = await call('echo', isSecondOther);
    expect(second.status).toBe(200);
    expect(await second.json()).toEqual({ jsonrpc: '2.0', id: 5, error: refused });
    finish();
    expect(await (await first).text()).toContain('it is done');
    // Once it is answered, it is not under way.
    expect(await (await call('echo', isSecondOther)).text()).toContain('"result"');
  });

  it('in a batch', async () => {
    const { send, begun, finish } = await setup();
    const call = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: { said: id } },
    });
    const first = send([call(5, 'held'), call(5, 'echo'), call(6, 'echo')]);
    await begun;
    const more = await send([call(5, 'echo'), { jsonrpc: '2.0', method: 'notifications/initialized' }]);
    expect(await more.json()).toEqual([{ jsonrpc: '2.0', id: 5, error: refused }]);
    finish();
    const answers = messagesIn(await (await first).text());
    expect(answers).toHaveLength(3);
    expect(answers).toMatchObject([
      { id: 5, error: refused },
      { id: 6, result: { structuredContent: { said: 6 } } },
      { id: 5, result: { content: [{ text: 'it is done' }] } },
    ]);
  });

  it('until it is given up', async () => {
    const { send, begun, cancelled } = await setup();
    const leaving = new AbortController();
    const wait = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'wait' } };
    const first = send(wait, true, leaving.signal).catch(() => undefined);
    await begun;
    await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    await cancelled;
    const echo = { ...wait, params: { name: 'echo', arguments: {} } };
    expect(await (await send(echo, true)).text()).toContain('"result"');
    leaving.abort();
    await first;
  });
});

it.each([
  ['the straight', false],
  ['the other', true],
])('an argument named __proto__ is refused on %s way, not left out', async (_, isOther) => {
  const { send } = await setup();
  const args = JSON.parse('{"__proto__":{"a":1},"b":2}') as object;
  const call = { jsonrpc: '2.0', id: 8, method: 'tools/call', params: { name: 'echo', arguments: args } };
  const error = { code: -32_602, message: 'Invalid params: no argument can have the name "__proto__".' };
  const response = await send(call, isOther);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 8, error });
  expect((await send([call], isOther)).status).toBe(400);
});

it.each([
  ['the straight', false],
  ['the other', true],
])('parts that a tool gives are looked at on %s way', async (_, isOther) => {
  const { send } = await setup();
  const call = (name: string) =>
    send({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name, arguments: {} } }, isOther);
  expect(await (await call('picture')).text()).toContain('"mimeType":"image/png"');
  const odd = await (await call('odd')).text();
  expect(JSON.parse(odd.slice(odd.indexOf('{')))).toMatchObject({ id: 9, error: { code: -32_602 } });
});

it('a result that nests too deeply is an error, and the next call works', async () => {
  const folder = temporaryFolder({ 'deep.mjs': deepServer });
  const command = path.join(folder, 'deep.mjs');
  const { call } = await setup({
    specs: [{ name: 'deep', dialect: 'mcp', start: { kind: 'program', command, args: [] } }],
  });
  expect(await (await call('deep', 11, { arguments: {} })).json()).toMatchObject({
    id: 11,
    result: { isError: true, content: [{ text: expect.stringContaining('levels deep') as string }] },
  });
  expect(await (await call('echo', 12, { arguments: {} })).json()).toMatchObject({ id: 12, result: {} });
});

/** Without a library. */
const deepServer = `import readline from 'node:readline';
const tools = [{ name: 'deep', inputSchema: { type: 'object' } }];
const deep = '{"content":[],"structuredContent":{"a":' + '['.repeat(6000) + ']'.repeat(6000) + '}}';
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'deep', version: '1' } }),
  'tools/list': () => ({ tools }),
};
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'tools/call' ? deep : JSON.stringify(results[method]?.(params) ?? {});
  process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + '}\\n');
});
`;

it('a level of logs that is none is refused', async () => {
  const { post } = await setup();
  const setLevel = async (level: unknown) => {
    const text = await (await post({ id: 10, method: 'logging/setLevel', params: { level } })).text();
    return JSON.parse(text.slice(text.indexOf('{'))) as object;
  };
  expect(await setLevel('loud')).toMatchObject({ id: 10, error: {} });
  expect(await setLevel('critical')).toMatchObject({ id: 10, result: {} });
});

function messagesIn(text: string): object[] {
  const events = text.trim().split('\n\n');
  return events
    .filter((event) => !event.startsWith(':'))
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as object);
}

it('what is told before the client listens waits for it, each once', async () => {
  const clock = fakeClock();
  const { registry, listen } = await setup({ clock });
  for (const name of ['one', 'two']) {
    registry.registerPlugin(
      definePlugin({ name, version: '1.0.0', tools: { [name]: { handler: () => name } } }),
    );
    await registry.exposeTool(name);
  }
  // As long as news are gathered for.
  clock.advance(100);
  const { body } = await listen();
  let heard = '';
  for await (const piece of body ?? []) {
    heard += Buffer.from(piece).toString();
    if (heard.includes('resources/list_changed')) break;
  }
  expect(heard.match(/tools\/list_changed/g)).toHaveLength(1);
});
