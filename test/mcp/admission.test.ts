// Who is let in over HTTP, and what one client may cost.
import { connect as connectSocket } from 'node:net';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../../src/base/async.ts';
import { definePlugin } from '../../src/definition/define-plugin.ts';
import { createTokens } from '../../src/runtime/tokens/tokens.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { connectClient, testEndpoint } from '../support/surface/mcp-endpoint.ts';

const plugin = definePlugin({
  name: 'small',
  version: '1.0.0',
  tools: {
    echo: { hints: { readOnly: true }, handler: ({ text }: { text?: unknown }) => String(text) },
    write: { handler: () => 'written' },
  },
});
const other = definePlugin({
  name: 'other',
  version: '1.0.0',
  tools: { far: { handler: () => 'far' } },
  commands: { go: { handler: () => 'gone' } },
});

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly path?: string;
}

interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** fetch() does not let anybody say another Host. */
function send(url: URL, { method = 'POST', headers = {}, body, path }: Sent = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        method,
        ...(path === undefined ? {} : { path }),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

const hello = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

describe('at the door', () => {
  it.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer wrong' }],
    ['another scheme', { authorization: 'Basic right' }],
    ['a longer token', { authorization: 'Bearer right-and-more' }],
  ])('%s is refused with how to send it', async (_, headers) => {
    const { url } = await testEndpoint({ definitions: [plugin], token: 'right' });
    const { status, headers: got, body } = await send(url, { headers, body: hello });
    expect(status).toBe(401);
    expect(got['www-authenticate']).toMatch(/^Bearer/);
    expect(body).not.toContain('right-');
  });

  it('the right token is let in', async () => {
    const { url } = await testEndpoint({ definitions: [plugin], token: 'right' });
    const { status, headers } = await send(url, { headers: { authorization: 'Bearer right' }, body: hello });
    expect(status).toBe(200);
    expect(headers['mcp-session-id']).toMatch(/^[\da-f-]{36}$/);
  });

  it.each([
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a name that was pointed here', { host: 'evil.example' }],
    ['such a name with our port', { host: 'evil.example:80' }],
  ])('%s is refused', async (_, headers) => {
    const { url } = await testEndpoint({ definitions: [plugin] });
    for (const method of ['POST', 'GET', 'DELETE'])
      expect(
        (await send(url, { method, headers, ...(method === 'POST' ? { body: hello } : {}) })).status,
      ).toBe(403);
  });

  it('pages that are named may ask', async () => {
    const { url } = await testEndpoint({ definitions: [plugin], allowedOrigins: ['http://localhost:6274'] });
    expect((await send(url, { headers: { origin: 'http://localhost:6274' }, body: hello })).status).toBe(200);
  });

  it('a body that is too large is refused, whether or not it says so', async () => {
    const { url } = await testEndpoint({ definitions: [plugin], limits: { bodyBytes: 1000 } });
    expect((await send(url, { body: 'x'.repeat(1001) })).status).toBe(413);
    const chunked = await send(url, { headers: { 'transfer-encoding': 'chunked' }, body: 'x'.repeat(2000) });
    expect(chunked.status).toBe(413);
  });

  const large = 'x'.repeat(1_000_000);
  it.each([
    ['the name of its client', { clientInfo: { name: large, version: '1' }, capabilities: {} }],
    [
      'capabilities',
      { clientInfo: { name: 'raw', version: '1' }, capabilities: { experimental: { x: { large } } } },
    ],
  ])('a session with 1 MB of %s is refused, since it is kept', async (_, said) => {
    const { url, endpoint } = await testEndpoint({ definitions: [plugin] });
    const params = { protocolVersion: '2025-11-25', ...said };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const got = await send(url, { body });
    expect(got.status).toBe(400);
    expect(JSON.parse(got.body)).toMatchObject({
      id: 1,
      error: { code: -32_602, message: expect.stringContaining('at most 16384 are accepted') as string },
    });
    expect(endpoint.sessions).toBe(0);
    expect((await send(url, { body: hello })).status).toBe(200);
  });

  it('a request of its own with 1 MB of capabilities is refused too', async () => {
    const { url } = await testEndpoint({ definitions: [plugin] });
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { experimental: { x: { large } } },
    };
    const params = { name: 'small__echo', arguments: {}, _meta };
    const got = await send(url, {
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    expect([got.status, got.body]).toEqual([
      400,
      expect.stringContaining('at most 16384 are accepted') as string,
    ]);
  });

  it.each([
    ['keys', `{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":1`).join()}}`, 'more than 5000 keys'],
    ['repeated keys', `{${'"a":1,'.repeat(600_000)}"a":1}`, 'more than 5000 keys'],
    ['values', `[${'1,'.repeat(2_000_000)}1]`, 'more than 25000 values'],
    ['empty objects', `[${'{},'.repeat(1_000_000)}{}]`, 'more than 25000 values'],
    ['levels', '['.repeat(2_000_000) + ']'.repeat(2_000_000), 'more than 100 levels'],
  ])(
    'a call with too many %s is refused before it is parsed, and others are served',
    async (_, args, why) => {
      const { url } = await testEndpoint({ definitions: [plugin] });
      const client = await connectClient(url);
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":${args}}}}`;
      expect(body.length).toBeLessThan(4 * 1024 * 1024);
      const [refused, served] = await Promise.all([
        send(url, { body }),
        client.callTool({ name: 'echo', arguments: { text: 'hi' } }),
      ]);
      expect(refused.status).toBe(413);
      expect(JSON.parse(refused.body)).toMatchObject({
        error: { code: -32_600, message: expect.stringContaining(why) as string },
      });
      expect(refused.body).toContain('server.limits');
      expect(served.content).toEqual([{ type: 'text', text: 'hi' }]);
    },
  );

  it('a call within the limits reaches the tool with all it has', async () => {
    const { url } = await testEndpoint({
      definitions: [
        definePlugin({
          name: 'counter',
          version: '1.0.0',
          tools: { count: { handler: (args: object) => Object.keys(args).length } },
        }),
      ],
    });
    const client = await connectClient(url);
    const args = Object.fromEntries(Array.from({ length: 4900 }, (_, at) => [`k${at}`, 'v'.repeat(700)]));
    const { content } = await client.callTool({ name: 'count', arguments: args });
    expect(content).toEqual([{ type: 'text', text: '4900' }]);
  });

  it('what is no JSON is refused', async () => {
    const { url } = await testEndpoint({ definitions: [plugin] });
    const { status, body } = await send(url, { body: '{' });
    expect(status).toBe(400);
    expect(body).toContain('-32700');
  });

  it('another content type is refused', async () => {
    const { url } = await testEndpoint({ definitions: [plugin] });
    const { status } = await send(url, { headers: { 'content-type': 'text/plain' }, body: hello });
    expect(status).toBe(415);
  });

  it('a session that is not there is not found; a request without one is told so', async () => {
    const { url, endpoint } = await testEndpoint({ definitions: [plugin] });
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect((await send(url, { headers: { 'mcp-session-id': 'made-up' }, body: ping })).status).toBe(404);
    expect((await send(url, { body: ping })).status).toBe(400);
    expect((await send(url, { method: 'GET' })).status).toBe(400);
    expect(endpoint.sessions).toBe(0);
  });

  it('other methods are refused', async () => {
    const { url } = await testEndpoint({ definitions: [plugin] });
    expect((await send(url, { method: 'PUT' })).status).toBeGreaterThanOrEqual(400);
  });

  it.each(['is another one', 'is gone'])(
    'a token that %s when the body has come opens nothing',
    async (now) => {
      const profiles = { reader: { token: 'reads' } };
      const { url, endpoint } = await testEndpoint({ definitions: [plugin], token: 'right', profiles });
      await send(url, { headers: { authorization: 'Bearer right' }, body: hello });
      const socket = connectSocket(Number(url.port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      const answered = new Promise<string>((resolve) =>
        socket.once('data', (chunk) => resolve(String(chunk))),
      );
      socket.write(
        `POST /mcp?profile=reader HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer reads\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${hello.length}\r\nexpect: 100-continue\r\n\r\n`,
      );
      // It was let in.
      expect(await answered).toMatch(/^HTTP\/1.1 100/);
      const refused = new Promise<string>((resolve) =>
        socket.once('data', (chunk) => resolve(String(chunk))),
      );
      await endpoint.useProfiles(now === 'is gone' ? {} : { reader: { token: 'reads otherwise' } });
      socket.write(hello);
      expect(await refused).toMatch(/^HTTP\/1.1 401/);
      expect(endpoint.sessions).toBe(1);
    },
  );
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('what a client may cost', () => {
  it('a body that does not come in time is not waited for', async () => {
    const clock = fakeClock();
    const { url } = await testEndpoint({ definitions: [plugin], clock, limits: { bodyMs: 5000 } });
    const socket = connectSocket(Number(url.port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const answered = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
    socket.write(
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    );
    await expect.poll(() => clock.waiting).toBeGreaterThan(0);
    clock.advance(5000);
    expect(await answered).toMatch(/^HTTP\/1.1 408/);
  });

  it('who does not read is cut off, and its call is given up', async () => {
    const clock = fakeClock();
    let given = false;
    const flood = definePlugin({
      name: 'flood',
      version: '1.0.0',
      tools: {
        flood: {
          async handler(_: unknown, { stream, signal }) {
            // More than the buffers of any system hold.
            for (let turn = 0; turn < 15; turn += 1) stream('x'.repeat(1_000_000));
            expect(signal.aborted).toBe(false);
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            given = true;
          },
        },
      },
    });
    const { url } = await testEndpoint({ definitions: [flood], clock, limits: { slowMs: 5000 } });
    const { headers } = await send(url, { body: hello });
    const socket = connectSocket(Number(url.port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.pause();
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'flood', arguments: {}, _meta: { progressToken: 1 } },
    });
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\nmcp-session-id: ${String(headers['mcp-session-id'])}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const isGivenUp = () => {
      clock.advance(1000);
      return given;
    };
    await expect.poll(isGivenUp).toBe(true);
  });

  it('of too many sessions the one that was not heard of for longest goes', async () => {
    const { url, endpoint } = await testEndpoint({ definitions: [plugin], limits: { sessions: 2 } });
    const begin = () => send(url, { body: hello });
    const [first] = [await begin(), await begin()];
    expect((await begin()).status).toBe(200);
    expect(endpoint.sessions).toBe(2);
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    const gone = { 'mcp-session-id': String(first.headers['mcp-session-id']) };
    expect((await send(url, { headers: gone, body: ping })).status).toBe(404);
  });

  it('a profile makes room among its own sessions, and has half of them at most', async () => {
    const { url, endpoint } = await testEndpoint({
      definitions: [plugin],
      limits: { sessions: 6 },
      token: 'all',
      profiles: { one: { token: 'one' }, two: { token: 'two' } },
    });
    const begin = (token: string) => send(url, { headers: bearer(token), body: hello });
    const isThere = async (token: string, { headers }: Awaited<ReturnType<typeof send>>) => {
      const session = { ...bearer(token), 'mcp-session-id': String(headers['mcp-session-id']) };
      const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
      return (await send(url, { headers: session, body: ping })).status === 200;
    };
    const owner = await begin('all');
    const other = await begin('two');
    for (let time = 0; time < 10; time += 1) expect((await begin('one')).status).toBe(200);
    expect(endpoint.sessions).toBe(5);
    for (let time = 0; time < 10; time += 1) expect((await begin('two')).status).toBe(200);
    expect(endpoint.sessions).toBe(6);
    expect(await isThere('all', owner)).toBe(true);
    expect(await isThere('two', other)).toBe(false);
    // The owner is never without a place.
    const more = await begin('all');
    expect(more.status).toBe(200);
    expect(endpoint.sessions).toBe(6);
    expect(await isThere('all', owner)).toBe(true);
  });

  it('sessions of one token do not push out those of another that chose the same profile', async () => {
    const { url, endpoint } = await testEndpoint({
      definitions: [plugin],
      limits: { sessions: 4 },
      tokens: createTokens(['one', 'two'].map((name) => ({ name, purpose: 'mcp', secret: name }))),
      profiles: { shared: {} },
    });
    const shared = new URL('?profile=shared', url);
    const begin = (token: string) => send(shared, { headers: bearer(token), body: hello });
    const { headers } = await begin('two');
    for (let time = 0; time < 6; time += 1) expect((await begin('one')).status).toBe(200);
    expect(endpoint.sessions).toBe(4);
    const session = { ...bearer('two'), 'mcp-session-id': String(headers['mcp-session-id']) };
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect((await send(shared, { headers: session, body: ping })).status).toBe(200);
  });

  it('a profile whose sessions are all in use is told to come later, others are not', async () => {
    const { url } = await testEndpoint({
      definitions: [plugin],
      limits: { sessions: 2 },
      token: 'all',
      profiles: { one: { token: 'one' } },
    });
    const begin = (token: string) => send(url, { headers: bearer(token), body: hello });
    const { headers } = await begin('one');
    const id = { 'mcp-session-id': String(headers['mcp-session-id']) };
    const session = { ...bearer('one'), accept: 'text/event-stream', ...id };
    expect((await fetch(url, { headers: session })).status).toBe(200);
    const refused = await begin('one');
    expect(refused.status).toBe(503);
    expect(refused.body).toContain('1 clients of this profile');
    expect((await begin('all')).status).toBe(200);
  });

  it('where all sessions are in use, a new one is told to come later', async () => {
    const { url, endpoint } = await testEndpoint({ definitions: [plugin], limits: { sessions: 1 } });
    await connectClient(url, { listChanged: { tools: { onChanged: () => {} } } });
    expect(endpoint.sessions).toBe(1);
    // Its client follows the stream of the session.
    await expect.poll(async () => (await send(url, { body: hello })).status).toBe(503);
    expect(endpoint.sessions).toBe(1);
  });

  it('a session that is not used is closed after a while', async () => {
    const clock = fakeClock();
    const { url, endpoint } = await testEndpoint({
      definitions: [plugin],
      clock,
      limits: { sessionIdleMs: 60_000 },
    });
    await send(url, { body: hello });
    expect(endpoint.sessions).toBe(1);
    for (let turn = 0; turn < 4; turn += 1) clock.advance(30_000);
    await expect.poll(() => endpoint.sessions).toBe(0);
  });

  it('a client that says goodbye has no session any more', async () => {
    const { url, endpoint } = await testEndpoint({ definitions: [plugin] });
    const { headers } = await send(url, { body: hello });
    const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
    expect((await send(url, { method: 'DELETE', headers: session })).status).toBe(200);
    expect(endpoint.sessions).toBe(0);
  });

  it('a hello that is none leaves no session', async () => {
    const { url, endpoint } = await testEndpoint({ definitions: [plugin] });
    await send(url, { headers: { accept: 'text/plain' }, body: hello });
    expect(endpoint.sessions).toBe(0);
  });
});

describe('limits', () => {
  const waiting = () => {
    let running = 0;
    const release = deferred<void>();
    const definition = definePlugin({
      name: 'slow',
      version: '1.0.0',
      tools: {
        wait: {
          async handler() {
            running += 1;
            await release.promise;
            running -= 1;
          },
        },
      },
    });
    return { definition, release, running: () => running };
  };

  it.each(['legacy', 'modern'] as const)('another name is no way around them, in the %s era', async (era) => {
    const { url } = await testEndpoint({
      definitions: [plugin],
      token: 'all',
      profiles: { reader: { token: 'reads' } },
      gate: { limits: { perMinute: { caller: 2 } } },
    });
    const call = async (name: string, profile = '') => {
      const setup = { name, era, token: profile === '' ? 'all' : 'reads' };
      const client = await connectClient(new URL(profile, url), setup);
      return (await client.callTool({ name: 'echo' })).isError === true;
    };
    expect([await call('one'), await call('two'), await call('three')]).toEqual([false, false, true]);
    // Others have another token.
    expect(await call('three', '?profile=reader')).toBe(false);
  });

  it('each session has its own share, and who asks for more waits', async () => {
    const { definition, release, running } = waiting();
    const { url } = await testEndpoint({
      definitions: [definition],
      gate: { limits: { concurrent: { session: 2 } } },
    });
    const [greedy, other] = [await connectClient(url), await connectClient(url)];
    const calls = [1, 2, 3].map(() => greedy.callTool({ name: 'wait' }));
    await expect.poll(running).toBe(2);
    calls.push(other.callTool({ name: 'wait' }));
    await expect.poll(running).toBe(3);
    release.resolve();
    for (const { isError = false } of await Promise.all(calls)) expect(isError).toBe(false);
  });

  it.each([
    ['one connection', { sessionCalls: 2 }, 'this connection'],
    ['one token or profile', { profileCalls: 2 }, 'clients with this token or profile'],
  ])('what %s has open is bounded, whatever it waits for', async (_, limits, says) => {
    const { definition, release, running } = waiting();
    const { url } = await testEndpoint({ definitions: [definition], limits });
    const client = await connectClient(url);
    const calls = [1, 2].map(() => client.callTool({ name: 'wait' }));
    await expect.poll(running).toBe(2);
    const refused = await client.callTool({ name: 'wait' });
    expect(JSON.stringify(refused.content)).toContain(`2 calls of ${says} are under way already`);
    release.resolve();
    await Promise.all(calls);
    expect((await client.callTool({ name: 'wait' })).isError ?? false).toBe(false);
  });
});

describe('profiles', () => {
  const profiles = {
    reader: { readOnly: true, token: 'reads' },
    pair: { plugins: ['other'], token: 'pairs' },
    named: { tools: ['e*', 'wr?te'] },
  };
  const at = (url: URL, profile: string) => new URL(`?profile=${profile}`, url);

  it.each(['legacy', 'modern'] as const)('each sees its own tools, in the %s era', async (era) => {
    const { url } = await testEndpoint({ definitions: [plugin, other], profiles, token: 'all' });
    const seen = async (profile: string, token: string) => {
      const client = await connectClient(at(url, profile), { token, era });
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    expect(await seen('reader', 'reads')).toEqual(['small__echo']);
    expect(await seen('pair', 'pairs')).toEqual(['other__far']);
    expect(await seen('named', 'all')).toEqual(['small__echo', 'small__write']);
    const client = await connectClient(url, { token: 'all', era });
    expect((await client.listTools()).tools).toHaveLength(3);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['other__go']);
  });

  it('what a profile does not show cannot be called', async () => {
    const { url } = await testEndpoint({ definitions: [plugin, other], profiles, token: 'all' });
    const client = await connectClient(at(url, 'pair'), { token: 'pairs' });
    await expect(client.callTool({ name: 'echo' })).rejects.toThrow(/echo/);
    await expect(client.callTool({ name: 'small__echo' })).rejects.toThrow(/echo/);
    const reader = await connectClient(at(url, 'reader'), { token: 'reads' });
    await expect(reader.getPrompt({ name: 'go' })).rejects.toThrow(/go/);
  });

  it.each([
    ['reader', 'all'],
    ['reader', 'pairs'],
    ['named', 'reads'],
    ['nobody', 'all'],
    ['__proto__', 'all'],
  ])('profile %s is not opened by the token "%s"', async (profile, token) => {
    const { url } = await testEndpoint({ definitions: [plugin], profiles, token: 'all' });
    const { status } = await send(at(url, profile), {
      headers: { authorization: `Bearer ${token}` },
      body: hello,
    });
    expect(status).toBe(401);
  });

  it.each(['legacy', 'modern'] as const)('the token of a profile leads there, in the %s era', async (era) => {
    const { url } = await testEndpoint({ definitions: [plugin, other], profiles, token: 'all' });
    const client = await connectClient(url, { token: 'reads', era });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['small__echo']);
  });

  it.each(['legacy', 'modern'] as const)(
    'when they change, only clients of what is gone or has another token are ended, in the %s era',
    async (era) => {
      const begun = deferred<void>();
      const slow = definePlugin({
        name: 'slow',
        version: '1.0.0',
        tools: {
          wait: {
            handler: (_: unknown, { signal }) =>
              new Promise<void>((resolve) => {
                begun.resolve();
                signal.addEventListener('abort', () => resolve());
              }),
          },
        },
      });
      const { url, endpoint } = await testEndpoint({
        definitions: [plugin, slow],
        token: 'all',
        profiles: { gone: {}, other: { token: 'one' }, narrow: {}, same: { tools: ['echo'] } },
      });
      const join = (profile: string, token = 'all') => connectClient(at(url, profile), { token, era });
      const [gone, changed, narrow, same] = await Promise.all([
        join('gone'),
        join('other', 'one'),
        join('narrow'),
        join('same'),
      ]);
      const calling = gone.callTool({ name: 'wait' });
      await begun.promise;
      const ended = await endpoint.useProfiles({
        other: { token: 'two' },
        narrow: { tools: ['write'] },
        same: { tools: ['echo'] },
      });
      expect(ended).toEqual(['gone', 'other']);
      expect(JSON.stringify((await calling).content)).toContain('was removed');
      await expect(gone.listTools()).rejects.toThrow(/token/);
      await expect(changed.listTools()).rejects.toThrow(/token/);
      const names = async (client: typeof gone) => (await client.listTools()).tools.map(({ name }) => name);
      expect(await names(narrow)).toEqual(['small__write']);
      expect(await names(same)).toEqual(['small__echo']);
      expect(await names(await join('other', 'two'))).toHaveLength(3);
      expect(endpoint.sessions).toBe(era === 'legacy' ? 3 : 0);
    },
  );

  it('a session is that of its profile alone', async () => {
    const { url } = await testEndpoint({ definitions: [plugin], profiles });
    const { headers } = await send(url, { body: hello });
    const session = { 'mcp-session-id': String(headers['mcp-session-id']), authorization: 'Bearer any' };
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect((await send(at(url, 'named'), { headers: session, body: ping })).status).toBe(404);
  });
});

describe('tokens', () => {
  const profiles = { reader: { readOnly: true }, own: { token: 'owns' } };
  const made = async () => {
    const tokens = createTokens();
    const of = async (...[asked]: Parameters<typeof tokens.create>) => (await tokens.create(asked)).secret;
    return { tokens, of };
  };

  it.each(['metrics', 'api-read', 'api'] as const)('one for %s opens nothing here', async (purpose) => {
    const { tokens, of } = await made();
    const { url } = await testEndpoint({ definitions: [plugin], tokens });
    const headers = { authorization: `Bearer ${await of({ name: 'it', purpose })}` };
    const { status, body } = await send(url, { headers, body: hello });
    expect(status).toBe(403);
    expect(body).toContain('--for mcp');
  });

  it('the cookie of a browser is none', async () => {
    const { tokens } = await made();
    const { url } = await testEndpoint({ definitions: [plugin], tokens });
    const { secret } = await tokens.createConsole();
    for (const headers of [{ authorization: `Bearer ${secret}` }, { cookie: `pluglot=${secret}` }])
      expect((await send(url, { headers, body: hello })).status).toBe(401);
  });

  it.each([
    ['reader', '', 200],
    ['reader', '?profile=reader', 200],
    ['reader', '?profile=own', 401],
    ['gone', '', 401],
    [undefined, '?profile=reader', 200],
    [undefined, '?profile=own', 401],
  ] as const)('one with the profile %s is answered at %j with %i', async (profile, query, wanted) => {
    const { tokens, of } = await made();
    const { url } = await testEndpoint({ definitions: [plugin], tokens, profiles });
    const secret = await of({ name: 'it', purpose: 'mcp', ...(profile !== undefined && { profile }) });
    const headers = { authorization: `Bearer ${secret}` };
    expect((await send(new URL(query, url), { headers, body: hello })).status).toBe(wanted);
  });

  it('a session is that of the token that began it', async () => {
    const { tokens, of } = await made();
    const { url } = await testEndpoint({ definitions: [plugin], tokens });
    const [one, two] = [await of({ name: 'one', purpose: 'mcp' }), await of({ name: 'two', purpose: 'mcp' })];
    const begun = await send(url, { headers: { authorization: `Bearer ${one}` }, body: hello });
    const session = String(begun.headers['mcp-session-id']);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
    const list = (token: string) =>
      send(url, { headers: { authorization: `Bearer ${token}`, 'mcp-session-id': session }, body });
    expect((await list(two)).status).toBe(404);
    expect((await list(one)).status).toBe(200);
  });

  it.each(['legacy', 'modern'] as const)(
    'what is revoked ends at once, with its calls, and nobody else is ended, in the %s era',
    async (era) => {
      const begun = deferred<void>();
      const slow = definePlugin({
        name: 'slow',
        version: '1.0.0',
        tools: {
          wait: {
            handler: (_: unknown, { signal }) =>
              new Promise<void>((resolve) => {
                begun.resolve();
                signal.addEventListener('abort', () => resolve());
              }),
          },
        },
      });
      const { tokens, of } = await made();
      const { url } = await testEndpoint({ definitions: [plugin, slow], tokens });
      const join = async (name: string) =>
        connectClient(url, { token: await of({ name, purpose: 'mcp' }), era });
      const [revoked, other] = [await join('laptop'), await join('phone')];
      const calling = revoked.callTool({ name: 'wait' });
      await begun.promise;
      await tokens.revoke('laptop');
      const { content } = await calling;
      expect(JSON.stringify(content)).toContain('The token \\"laptop\\" was revoked.');
      await expect(revoked.callTool({ name: 'echo' })).rejects.toThrow(/token|401|404|[Ss]ession/);
      expect((await other.callTool({ name: 'echo' })).isError ?? false).toBe(false);
    },
  );
});
