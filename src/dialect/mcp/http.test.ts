import { describe, expect, test } from 'vitest';
import { PluglotError } from '../../base/error.ts';
import { callAndHear, hostAndRemote, type HostOptions } from '../../../test/support/dialect/dialect-host.ts';
import {
  mcpHttpServer,
  SESSION,
  type Events,
  type Reply,
  type Seen,
} from '../../../test/support/dialect/mcp/raw-http-server.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { mcp } from './host.ts';

type Script = Parameters<typeof mcpHttpServer>[0];

describe('a session', () => {
  // requirement: mcp:http:post, mcp:http:accept, mcp:http:accepted, mcp:http:json-answer, mcp:http:get-refused
  // requirement: mcp:http:session-id, mcp:http:version-header
  test('hello, a call, and the headers of each', async () => {
    const { server, end, told } = await reached(undefined, { headers: { Authorization: 'Bearer 7' } });
    const call = callAndHear(end, { tool: 'echo', args: { a: 1 } });
    expect(await call.answer).toEqual({ ok: true, text: '{"a":1}' });
    const posts = server.seen.filter(({ method }) => method === 'POST');
    expect(posts.map(({ message }) => message?.method)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ]);
    for (const { headers } of posts) {
      expect(headers.accept).toBe('application/json, text/event-stream');
      expect(headers['content-type']).toBe('application/json');
      expect(headers.authorization).toBe('Bearer 7');
    }
    const [probe, hello, ...later] = server.seen;
    expect(probe?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'server/discover',
    });
    for (const first of [probe, hello]) expect(first?.headers).not.toHaveProperty('mcp-session-id');
    expect(hello?.headers).not.toHaveProperty('mcp-protocol-version');
    for (const { headers } of later) {
      expect(headers).toMatchObject({ 'mcp-session-id': SESSION, 'mcp-protocol-version': '2025-11-25' });
    }
    const get = server.seen.find(({ method }) => method === 'GET');
    expect(get?.headers.accept).toBe('text/event-stream');
    expect(told.troubles).toEqual([]);
    expect(told.wire.filter(({ direction }) => direction === 'sent')).toHaveLength(5);
    expect(told.wire.filter(({ direction }) => direction === 'received')).toHaveLength(4);
  });

  // requirement: mcp:http:session-delete
  test('is deleted at the goodbye', async () => {
    const { server, end } = await reached();
    await end.shutdown(5000);
    const gone = server.seen.at(-1);
    expect(gone?.method).toBe('DELETE');
    expect(gone?.headers['mcp-session-id']).toBe(SESSION);
    end.close();
    expect(await end.ended).toEqual({ kind: 'closed' });
    expect(await callAndHear(end, { tool: 'echo' }).answer).toMatchObject({ error: { code: 'PEER_CLOSED' } });
  });

  // requirement: mcp:http:delete-refused
  test.each([
    ['refuses', (reply: Reply) => reply.status(405)],
    ['breaks', (reply: Reply) => reply.status(500)],
  ])('of a server that %s the goodbye', async (_, answer) => {
    const { end, told } = await reached(({ method }, reply) => method === 'DELETE' && (answer(reply), true));
    await end.shutdown(5000);
    end.close();
    expect(told.troubles).toEqual([]);
  });

  test('of a server that never answers the goodbye is left after its limit', async () => {
    const clock = fakeClock();
    let asked = () => {};
    const asking = new Promise<void>((resolve) => (asked = resolve));
    const { end } = await reached(({ method }) => method === 'DELETE' && (asked(), true), {}, { clock });
    const gone = end.shutdown(2000);
    await asking;
    clock.advance(2000);
    await expect(gone).resolves.toBeUndefined();
  });

  // requirement: mcp:http:session-lost
  test('that the server has forgotten ends the connection; a new one begins without its id', async () => {
    let isLost = false;
    const { server, end } = await reached(({ headers }, reply) => {
      if (!isLost || headers['mcp-session-id'] === undefined) return false;
      reply.status(404, 'Session not found');
      return true;
    });
    isLost = true;
    expect(await callAndHear(end, { tool: 'echo' }).answer).toEqual({
      ok: false,
      error: {
        code: 'PIPE_ENDED',
        message: 'Plugin "the-plugin" has ended the session; a new one has to be opened.',
      },
    });
    expect(await end.ended).toMatchObject({ kind: 'failed', error: { code: 'PIPE_ENDED' } });
    isLost = false;
    const again = await hostAndRemote(mcp, { url: server.url }).connected;
    const hellos = server.messages('initialize');
    expect(hellos).toHaveLength(2);
    expect(hellos[1]?.headers).not.toHaveProperty('mcp-session-id');
    expect(await callAndHear(again, { tool: 'echo' }).answer).toMatchObject({ ok: true });
  });

  test('is not needed', async () => {
    const { server, end } = await reached(({ message }, reply) => {
      if (message?.method !== 'initialize') return false;
      reply.json({ jsonrpc: '2.0', id: message.id, result: withoutTools });
      return true;
    });
    await end.shutdown(1000);
    expect(server.seen.some(({ method }) => method === 'DELETE')).toBe(false);
    expect(end.manifest.name).toBe('plain');
  });
});

describe('streams', () => {
  // requirement: mcp:http:stream-answer, mcp:http:messages-before-answer
  test('an answer may be one, with progress, logs and requests before it', async () => {
    const { server, end, told } = await reached(
      onCall(({ message }, reply) => {
        const events = reply.stream();
        events.message({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: 1, progress: 1 },
        });
        events.message({
          jsonrpc: '2.0',
          method: 'notifications/message',
          params: { level: 'info', data: 'hi' },
        });
        events.message({ jsonrpc: '2.0', id: 's', method: 'roots/list' });
        events.message(answerTo(message, 'done'));
        events.end();
      }),
    );
    const call = callAndHear(end, { tool: 'echo' });
    expect(await call.answer).toEqual({ ok: true, text: 'done' });
    expect(call.events).toEqual([
      { kind: 'progress', progress: 1 },
      { kind: 'log', level: 'info', message: 'hi' },
    ]);
    await expect.poll(() => server.seen.at(-1)?.message).toMatchObject({ id: 's', error: { code: -32601 } });
    expect(told.troubles).toEqual([]);
  });

  // requirement: mcp:http:get-stream
  test('what a server says by itself comes over a GET', async () => {
    const { server, told } = await reached(({ method }, reply) => {
      if (method !== 'GET') return false;
      const events = reply.stream();
      events.message({
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'warning', data: 'low' },
      });
      events.message({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      return true;
    });
    await expect.poll(() => told.logs).toEqual([{ level: 'warn', message: 'low' }]);
    await expect.poll(() => told.toolLists).toEqual([[{ name: 'echo' }]]);
    expect(server.messages('tools/list')).toHaveLength(2);
  });

  // requirement: mcp:http:resume, mcp:http:retry
  test('one that breaks is taken up after its last event, as soon as it says', async () => {
    const clock = fakeClock();
    let wanted: Seen['message'];
    const { server, end } = await reached(
      ({ method, message, headers }, reply) => {
        if (message?.method === 'tools/call') {
          wanted = message;
          const events = reply.stream();
          events.write('id: event-1\nretry: 4321\ndata:\n\n');
          events.end();
          return true;
        }
        if (method !== 'GET' || headers['last-event-id'] === undefined) return false;
        reply.stream().message(answerTo(wanted, 'late'));
        return true;
      },
      {},
      { clock },
    );
    const call = callAndHear(end, { tool: 'echo' });
    await expect.poll(() => clock.waiting).toBe(1);
    clock.advance(4320);
    expect(resumed()).toHaveLength(0);
    clock.advance(1);
    expect(await call.answer).toEqual({ ok: true, text: 'late' });
    expect(resumed().map(({ headers }) => headers['last-event-id'])).toEqual(['event-1']);

    function resumed(): Seen[] {
      return server.seen.filter(({ headers }) => headers['last-event-id'] !== undefined);
    }
  });

  test('one that ends without an answer fails its call', async () => {
    const { end } = await reached(onCall((_, reply) => reply.stream().end()));
    expect(await callAndHear(end, { tool: 'echo' }).answer).toEqual({
      ok: false,
      error: {
        code: 'UNAVAILABLE',
        message: 'Plugin "the-plugin" ended its answer before the result came.',
      },
    });
  });

  // requirement: mcp:http:cancel-explicitly
  test('a cancelled call is told to the server, and its connection let go', async () => {
    let events: Events | undefined;
    let closed: Promise<void> | undefined;
    const { server, end } = await reached(
      onCall((_, reply) => {
        events = reply.stream();
        ({ closed } = reply);
      }),
    );
    const call = callAndHear(end, { tool: 'echo' });
    await expect.poll(() => events).toBeDefined();
    expect(call.wireCall.cancel('enough')).toBe('free');
    expect(await call.answer).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
    await expect
      .poll(() => server.messages('notifications/cancelled').map(({ message }) => message?.params))
      .toEqual([{ requestId: server.messages('tools/call')[0]?.message?.id, reason: 'enough' }]);
    await closed;
    expect(await callAndHear(end, { tool: 'other' }).answer).toMatchObject({ ok: true });
  });
});

describe('failures', () => {
  test.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'UNAUTHENTICATED'],
    [429, 'RATE_LIMITED'],
    [500, 'UNAVAILABLE'],
    [504, 'TIMEOUT'],
  ])('HTTP %d fails the call with %s, and the next one goes on', async (status, code) => {
    const { end, told } = await reached(onCall((_, reply) => reply.status(status, 'because')));
    expect(await callAndHear(end, { tool: 'echo' }).answer).toEqual({
      ok: false,
      error: {
        code,
        message: `Plugin "the-plugin" answered with HTTP ${status}: because.`,
        data: { status },
      },
    });
    expect(await callAndHear(end, { tool: 'other' }).answer).toMatchObject({ ok: true });
    expect(told.troubles).toEqual([]);
  });

  test('a JSON-RPC error is the same as elsewhere', async () => {
    const { end } = await reached(
      onCall(({ message }, reply) =>
        reply.json({
          jsonrpc: '2.0',
          id: message?.id,
          error: { code: -32602, message: 'Unknown tool: echo' },
        }),
      ),
    );
    expect(await callAndHear(end, { tool: 'echo' }).answer).toMatchObject({
      error: { code: 'UNKNOWN_TOOL', wireCode: -32602 },
    });
  });

  test.each([
    ['no JSON', (reply: Reply) => reply.json('x')],
    ['another kind of content', (reply: Reply) => reply.status(200, '<html>')],
  ])('an answer that is %s fails the call', async (_, answer) => {
    const { end } = await reached(onCall((_, reply) => answer(reply)));
    expect(await callAndHear(end, { tool: 'echo' }).answer).toMatchObject({ ok: false });
  });

  test.each([
    ['JSON', (reply: Reply) => reply.json({ large: 'x'.repeat(5000) })],
    ['an event', (reply: Reply) => reply.stream().message({ large: 'x'.repeat(5000) })],
  ])('an answer over the limit fails the call: %s', async (_, answer) => {
    const { end } = await reached(
      onCall((_, reply) => answer(reply)),
      {},
      { spec: { limits: { messageBytes: 4000 } } },
    );
    expect(await callAndHear(end, { tool: 'echo' }).answer).toMatchObject({ ok: false });
    expect(await callAndHear(end, { tool: 'other' }).answer).toMatchObject({ ok: true });
  });

  test('many events may be more than the limit together', async () => {
    const { end } = await reached(
      onCall(({ message }, reply) => {
        const events = reply.stream();
        for (let times = 0; times < 20; times++)
          events.message({
            jsonrpc: '2.0',
            method: 'notifications/message',
            params: { data: 'x'.repeat(500) },
          });
        events.message(answerTo(message, 'done'));
        events.end();
      }),
      {},
      { spec: { limits: { messageBytes: 2000 } } },
    );
    expect(await callAndHear(end, { tool: 'echo' }).answer).toEqual({ ok: true, text: 'done' });
  });

  test('a server that goes away ends the connection', async () => {
    const { server, end } = await reached();
    await server.close();
    // The first may still find the old connection and see it break.
    await callAndHear(end, { tool: 'echo' }).answer;
    expect(await callAndHear(end, { tool: 'echo' }).answer).toMatchObject({
      error: {
        code: 'PIPE_ENDED',
        message: expect.stringMatching(/cannot be reached: connect ECONNREFUSED/) as unknown,
      },
    });
    expect(await end.ended).toMatchObject({ kind: 'failed' });
  });
});

describe('a start', () => {
  test('without a server', async () => {
    const server = await mcpHttpServer();
    await server.close();
    await expect(hostAndRemote(mcp, { url: server.url }).connected).rejects.toMatchObject({
      code: 'START_FAILED',
      message: expect.stringMatching(
        /^Plugin "the-plugin" cannot be reached: connect ECONNREFUSED/,
      ) as unknown,
    });
  });

  test('without the right to', async () => {
    const server = await mcpHttpServer((_, reply) => (reply.status(401, 'who are you?'), true));
    await expect(hostAndRemote(mcp, { url: server.url }).connected).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: 'Plugin "the-plugin" answered with HTTP 401: who are you?',
    });
  });

  test('with a password in the address, which is sent and never told', async () => {
    const server = await mcpHttpServer((_, reply) => (reply.status(401), true));
    const url = server.url.replace('://', '://ann:p%40ss@');
    const error: unknown = await hostAndRemote(mcp, { url }).connected.catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('HTTP 401');
    expect(String(error)).not.toContain('ss@');
    expect(server.seen[0]?.headers.authorization).toBe(`Basic ${btoa('ann:p@ss')}`);
  });

  test.each([
    ['a header with a line end', { headers: { 'X-Key': 'hunter\n2' } }],
    ['a header with a character of no header', { headers: { 'X-Key': 'hunter2\u2026' } }],
    ['a header of no name', { headers: { 'X Key': 'hunter2' } }],
    ['no address', { url: 'hunter2' }],
  ])('with %s is refused without its value', async (_, remote) => {
    const server = await mcpHttpServer();
    const { connected } = hostAndRemote(mcp, { url: server.url, ...remote });
    const error: unknown = await connected.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'START_FAILED' });
    expect(String(error)).not.toContain('hunter');
    expect(server.seen).toEqual([]);
  });

  test('that is given up while the server says nothing', async () => {
    const controller = new AbortController();
    const server = await mcpHttpServer(() => true);
    const { connected } = hostAndRemote(mcp, { url: server.url }, { signal: controller.signal });
    await expect.poll(() => server.seen).toHaveLength(1);
    controller.abort(new PluglotError('START_TIMEOUT', 'too late'));
    await expect(connected).rejects.toMatchObject({ code: 'START_TIMEOUT' });
  });

  test.each(['null', '{"error":null}', '{"error":"no"}', '[]', 'no JSON'])(
    'that is refused with 400 and %s fails with the status',
    async (body) => {
      const server = await mcpHttpServer((_, reply) => (reply.status(400, body), true));
      await expect(hostAndRemote(mcp, { url: server.url }).connected).rejects.toMatchObject({
        code: 'START_FAILED',
        message: `Plugin "the-plugin" answered with HTTP 400: ${body}.`,
      });
    },
  );

  // requirement: mcp:versions:newest
  test('with a server of both eras uses the newer one; resources are followed by listening', async () => {
    const listens: Events[] = [];
    const server = await mcpHttpServer(({ message, method }, reply) => {
      const result = (value: object) =>
        reply.json({ jsonrpc: '2.0', id: message?.id, result: { resultType: 'complete', ...value } });
      const capabilities = { resources: { subscribe: true } };
      if (message?.method === 'server/discover') result({ supportedVersions: ['2026-07-28'], capabilities });
      else if (message?.method === 'subscriptions/listen') {
        const events = reply.stream();
        listens.push(events);
        const _meta = { 'io.modelcontextprotocol/subscriptionId': message.id };
        const { notifications } = message.params ?? {};
        events.message({
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: { _meta, notifications },
        });
      } else return method === 'POST' ? (reply.status(404), true) : false;
      return true;
    });
    const news: unknown[] = [];
    const work = { news: (one: unknown) => void news.push(one) };
    const end = await hostAndRemote(mcp, { url: server.url }, { work }).connected;
    await Promise.all([end.resources?.subscribe?.('a:1'), end.resources?.subscribe?.('a:2')]);
    expect(server.messages('initialize')).toEqual([]);
    expect(server.messages('subscriptions/listen').at(-1)?.message?.params).toMatchObject({
      notifications: { resourceSubscriptions: ['a:1', 'a:2'] },
    });
    listens
      .at(-1)
      ?.message({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:2' } });
    await expect.poll(() => news).toEqual([{ kind: 'resource-updated', uri: 'a:2' }]);
    await end.resources?.unsubscribe?.('a:1');
    expect(server.messages('subscriptions/listen').at(-1)?.message?.params).toMatchObject({
      notifications: { resourceSubscriptions: ['a:2'] },
    });
  });

  test('with a server of 2026-07-28 that answers a request without its headers with -32020', async () => {
    const server = await mcpHttpServer(({ message, headers }, reply) => {
      const answer = (value: object) => reply.json({ jsonrpc: '2.0', id: message?.id, ...value });
      if (headers['mcp-method'] === undefined)
        reply.status(400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"Header mismatch"}}');
      else if (message?.method === 'server/discover')
        answer({ result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} } });
      else
        reply.status(
          404,
          JSON.stringify({ jsonrpc: '2.0', id: message?.id, error: { code: -32601, message: 'unknown' } }),
        );
      return true;
    });
    const end = await hostAndRemote(mcp, { url: server.url }).connected;
    expect(end.manifest.protocolVersion).toBe('2026-07-28');
    expect(await callAndHear(end, { tool: 'x' }).answer).toMatchObject({
      error: { code: 'UNKNOWN_TOOL', wireCode: -32601 },
    });
    await expect(end.ping?.(1000)).resolves.toBeUndefined();
  });

  test('with a server of 2026-07-28 leaves out tools whose headers cannot be sent', async () => {
    const property = (header: unknown, type = 'string') => ({ type, 'x-mcp-header': header });
    const schemas: Record<string, object> = {
      good: {
        properties: { a: property('A'), b: { type: 'object', properties: { c: property('C', 'integer') } } },
      },
      twice: { properties: { a: property('A'), b: property('a') } },
      spaced: { properties: { a: property('A B') } },
      nameless: { properties: { a: property('') } },
      fraction: { properties: { a: property('A', 'number') } },
      items: { properties: { a: { type: 'array', items: property('A') } } },
    };
    const tools = Object.entries(schemas).map(([name, schema]) => ({
      name,
      inputSchema: { type: 'object', ...schema },
    }));
    const server = await mcpHttpServer(({ message }, reply) => {
      const result = (value: object) => reply.json({ jsonrpc: '2.0', id: message?.id, result: value });
      if (message?.method === 'server/discover')
        result({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
      else if (message?.method === 'tools/list') result({ tools });
      else result({ content: [] });
      return true;
    });
    const { connected, told } = hostAndRemote(mcp, { url: server.url });
    const end = await connected;
    expect(end.manifest.tools.map(({ name }) => name)).toEqual(['good']);
    expect(told.troubles).toHaveLength(5);
    await callAndHear(end, { tool: 'good', args: { a: 'é', b: { c: 7 } } }).answer;
    expect(server.messages('tools/call')[0]?.headers).toMatchObject({
      'mcp-name': 'good',
      'mcp-param-a': '=?base64?w6k=?=',
      'mcp-param-c': '7',
    });
  });

  test('with a server that knows only 2026-07-28', async () => {
    const server = await mcpHttpServer(({ message, method }, reply) => {
      if (method === 'GET') return false;
      const result = (value: object) =>
        reply.json({ jsonrpc: '2.0', id: message?.id, result: { resultType: 'complete', ...value } });
      const cached = { ttlMs: 0, cacheScope: 'private' };
      if (message?.method === 'initialize') {
        const data = { supported: ['2026-07-28'], requested: '2025-11-25' };
        reply.status(
          400,
          JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32022, message: 'no', data } }),
        );
      } else if (message?.method === 'server/discover') {
        result({ ...cached, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
      } else if (message?.method === 'tools/list') {
        const inputSchema = {
          type: 'object',
          properties: { city: { type: 'string', 'x-mcp-header': 'City' } },
        };
        result({ ...cached, tools: [{ name: 'weather', inputSchema }] });
      } else {
        result({ content: [{ type: 'text', text: 'sunny' }] });
      }
      return true;
    });
    const end = await hostAndRemote(mcp, { url: server.url }).connected;
    expect(end.manifest).toMatchObject({
      name: 'the-plugin',
      version: 'unknown',
      protocolVersion: '2026-07-28',
    });
    const call = callAndHear(end, { tool: 'weather', args: { city: 'Rome' } });
    expect(await call.answer).toEqual({ ok: true, text: 'sunny' });
    expect(server.messages('tools/call')[0]?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-param-city': 'Rome',
    });
  });
});

const withoutTools = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  serverInfo: { name: 'plain', version: '1' },
};

async function reached(
  script?: Script,
  remote: { headers?: Record<string, string> } = {},
  options: HostOptions = {},
) {
  const server = await mcpHttpServer(script);
  const { connected, told } = hostAndRemote(mcp, { url: server.url, ...remote }, options);
  return { server, told, end: await connected };
}

/** A script for calls of the tool `echo`; all else is answered in the usual way. */
function onCall(answer: (seen: Seen, reply: Reply) => void): Script {
  return (seen, reply) => {
    if (seen.message?.method !== 'tools/call' || seen.message.params?.['name'] !== 'echo') return false;
    answer(seen, reply);
    return true;
  };
}

function answerTo(message: Seen['message'], text: string): object {
  return { jsonrpc: '2.0', id: message?.id, result: { content: [{ type: 'text', text }] } };
}
