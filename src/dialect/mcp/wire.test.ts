// What a server says that nobody asked for: noise, oversize, nonsense, logs, and requests of its own.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callAndHear, hostAndRawEnd } from '../../../test/support/dialect/dialect-host.ts';
import { runs } from '../../../test/support/runs.ts';
import {
  connected,
  expectMethod,
  expectRequest,
  helloResult,
  type Server,
} from '../../../test/support/dialect/mcp/raw-server.ts';
import { mcp } from './host.ts';

describe('noise', () => {
  // requirement: mcp:stdio:only-messages-in
  test('on stdout is told and survived, at each stage', async () => {
    const { raw, connected, told } = hostAndRawEnd(mcp, 'lines');
    raw.write('Starting up…\n\n');
    raw.answer((await raw.nextRequest()).id, helloResult());
    await expectMethod(raw, 'notifications/initialized');
    const list = await expectRequest(raw, 'tools/list');
    raw.write('[debug] {"not": "a message"}\n{"neither":true}\n');
    raw.answer(list.id, { tools: [] });
    const end = await connected;
    const call = callAndHear(end, { tool: 'echo' });
    const { id } = await expectRequest(raw, 'tools/call');
    raw.write('working\n');
    raw.answer(id, { content: [] });
    expect(await call.answer).toEqual({ ok: true });
    expect(told.troubles.map((trouble) => trouble.kind === 'invalid' && trouble.text)).toEqual([
      'Starting up…',
      '[debug] {"not": "a message"}',
      '{"neither":true}',
      'working',
    ]);
    expect(raw.received).toHaveLength(4);
  });

  test('answers to nobody are ignored', async () => {
    const { raw, end, told } = await connected(mcp);
    const call = callAndHear(end, { tool: 'echo' });
    const { id } = await expectRequest(raw, 'tools/call');
    for (const other of [999, 'x', '', null, `${id}x`, 0]) {
      raw.answer(other, { content: [] });
      raw.send({ jsonrpc: '2.0', id: other, error: { code: 1, message: 'no' } });
    }
    raw.answer(id, { content: [{ type: 'text', text: 'mine' }] });
    raw.answer(id, { content: [{ type: 'text', text: 'again' }] });
    expect(await call.answer).toEqual({ ok: true, text: 'mine' });
    await answered({ raw });
    expect(told.troubles).toEqual([]);
  });

  test('the items of a batch are handled one by one, and answered as a batch', async () => {
    const { raw, end } = await connected(mcp);
    const call = callAndHear(end, { tool: 'echo' });
    const { id } = await expectRequest(raw, 'tools/call');
    raw.send([
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
      { jsonrpc: '2.0', id: 'p', method: 'ping' },
      { jsonrpc: '2.0', id, result: { content: [] } },
    ]);
    expect(await call.answer).toEqual({ ok: true });
    expect(call.events).toHaveLength(1);
    expect(await raw.next()).toEqual([{ jsonrpc: '2.0', id: 'p', result: {} }]);
  });

  test('an answer over the limit fails its call, and the next one comes', async () => {
    const { raw, end, told } = await connected(mcp, { spec: { limits: { messageBytes: 4000 } } });
    const [large, small] = [callAndHear(end, { tool: 'echo' }), callAndHear(end, { tool: 'echo' })];
    const [first, second] = [await expectRequest(raw, 'tools/call'), await expectRequest(raw, 'tools/call')];
    raw.answer(first.id, { content: [{ type: 'text', text: 'x'.repeat(5000) }] });
    raw.answer(second.id, { content: [] });
    expect(await large.answer).toMatchObject({
      ok: false,
      error: {
        code: 'FRAME_TOO_LARGE',
        message: expect.stringMatching(
          /^The answer of plugin "the-plugin" to "tools\/call" has \d+ bytes, which is over the limit/,
        ) as unknown,
      },
    });
    expect(await small.answer).toEqual({ ok: true });
    expect(told.troubles).toMatchObject([{ kind: 'oversize' }]);
  });

  test('a request over the limit is refused', async () => {
    const { raw } = await connected(mcp, { spec: { limits: { messageBytes: 1000 } } });
    raw.send({
      jsonrpc: '2.0',
      id: 'big',
      method: 'sampling/createMessage',
      params: { x: 'x'.repeat(2000) },
    });
    expect(await raw.next()).toMatchObject({ id: 'big', error: { code: -32600 } });
  });

  // requirement: mcp:stdio:newline-delimited, mcp:stdio:only-messages-out
  test('line breaks and other letters travel inside of one line', async () => {
    const { raw, end } = await connected(mcp);
    const odd = 'a\nb\r\n\u2028 é 日本 😀 \u0000';
    const call = callAndHear(end, { tool: 'echo', args: { text: odd } });
    const request = await expectRequest(raw, 'tools/call');
    expect(request.params).toMatchObject({ arguments: { text: odd } });
    raw.answer(request.id, { content: [{ type: 'text', text: odd }] });
    expect(await call.answer).toEqual({ ok: true, text: odd });
  });
});

describe('logs', () => {
  // requirement: mcp:logging:levels, mcp:logging:message
  test.each([
    ['debug', 'debug'],
    ['info', 'info'],
    ['notice', 'info'],
    ['warning', 'warn'],
    ['error', 'error'],
    ['critical', 'error'],
    ['alert', 'error'],
    ['emergency', 'error'],
    ['toString', 'info'],
    [undefined, 'info'],
  ])('%s is %s', async (level, ours) => {
    const { raw, told } = await connected(mcp);
    raw.notify('notifications/message', { level, logger: 'database', data: 'Connection failed' });
    await answered({ raw });
    expect(told.logs).toEqual([{ level: ours, message: 'database: Connection failed' }]);
  });

  test('data that is no text is kept', async () => {
    const { raw, told } = await connected(mcp);
    const data = { error: 'Connection failed', port: 5432 };
    raw.notify('notifications/message', { level: 'error', data });
    await answered({ raw });
    expect(told.logs).toEqual([{ level: 'error', message: JSON.stringify(data), data }]);
  });

  test('are events of the call that runs; with several, of the plugin', async () => {
    const { raw, end, told } = await connected(mcp);
    const first = callAndHear(end, { tool: 'echo' });
    raw.notify('notifications/message', { level: 'info', data: 'one' });
    await answered({ raw });
    const second = callAndHear(end, { tool: 'echo' });
    raw.notify('notifications/message', { level: 'info', data: 'two' });
    await answered({ raw });
    expect(first.events).toEqual([{ kind: 'log', level: 'info', message: 'one' }]);
    expect(second.events).toEqual([]);
    expect(told.logs).toEqual([{ level: 'info', message: 'two' }]);
  });

  // requirement: mcp:lifecycle:server-may-ping-and-log-early
  test('and pings may come before the hello is over', async () => {
    const { raw, connected, told } = hostAndRawEnd(mcp, 'lines');
    const hello = await raw.nextRequest();
    raw.notify('notifications/message', { level: 'info', data: 'early' });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    raw.answer(hello.id, helloResult({ capabilities: {} }));
    await connected;
    expect(told.logs).toEqual([{ level: 'info', message: 'early' }]);
  });

  test('that say nothing are trouble', async () => {
    const { raw, told } = await connected(mcp);
    raw.notify('notifications/message', { level: 'info' });
    raw.notify('notifications/message');
    await answered({ raw });
    expect(told.logs).toEqual([]);
    expect(told.troubles).toMatchObject([
      { kind: 'invalid', reason: 'notifications/message says nothing' },
      { kind: 'invalid', reason: 'notifications/message says nothing' },
    ]);
  });
});

describe('requests of the server', () => {
  // requirement: mcp:ping:answer
  test('a ping is answered', async () => {
    const { raw } = await connected(mcp);
    raw.send({ jsonrpc: '2.0', id: 'p', method: 'ping' });
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
  });

  // requirement: mcp:client:undeclared
  test.each(['roots/list', 'sampling/createMessage', 'elicitation/create', 'tasks/list', 'made/up'])(
    '%s is not known here',
    async (method) => {
      const { raw } = await connected(mcp);
      raw.send({ jsonrpc: '2.0', id: 's1', method, params: {} });
      expect(await raw.next()).toMatchObject({ jsonrpc: '2.0', id: 's1', error: { code: -32601 } });
    },
  );

  test('params that MCP does not have are refused, a null id is trouble', async () => {
    const { raw, told } = await connected(mcp);
    raw.send({ jsonrpc: '2.0', id: 's1', method: 'ping', params: [1] });
    expect(await raw.next()).toMatchObject({ id: 's1', error: { code: -32602 } });
    raw.send({ jsonrpc: '2.0', id: null, method: 'ping' });
    await answered({ raw });
    expect(told.troubles).toMatchObject([
      { kind: 'invalid', reason: 'MCP has no requests whose id is null' },
    ]);
  });

  // requirement: mcp:base:no-answer-to-notification
  test('a notification gets no answer, known or not', async () => {
    const { raw, told } = await connected(mcp);
    raw.notify('notifications/resources/list_changed');
    raw.notify('notifications/prompts/list_changed');
    raw.notify('notifications/made/up', { a: 1 });
    raw.notify('tools/call', { name: 'x' });
    await answered({ raw });
    expect(told.troubles).toEqual([]);
  });
});

test('whatever a server says, the host stays whole and every call ends once', async () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const method = fc.constantFrom(
    'ping',
    'initialize',
    'tools/list',
    'notifications/progress',
    'notifications/message',
    'notifications/cancelled',
    'notifications/tools/list_changed',
    'sampling/createMessage',
  );
  const id = fc.oneof(fc.integer({ min: -1, max: 6 }), fc.constantFrom(null, '', '3', 'x', 1.5));
  const message = fc.oneof(
    fc.record({ jsonrpc: fc.constant('2.0'), id, result: value }, { requiredKeys: ['id'] }),
    fc.record({ jsonrpc: fc.constant('2.0'), id, error: value }),
    fc.record({ jsonrpc: fc.constant('2.0'), id, method, params: value }, { requiredKeys: ['method'] }),
    fc.record({
      jsonrpc: fc.constant('2.0'),
      method,
      params: fc.record(
        { progressToken: id, progress: value, data: value, level: value },
        { requiredKeys: [] },
      ),
    }),
    value,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 12 }), async (messages) => {
      const { raw, end } = await connected(mcp, { capabilities: { tools: {}, resources: {}, prompts: {} } });
      const calls = [1, 2, 3].map(() => callAndHear(end, { tool: 'echo' }));
      const asked = Promise.allSettled(
        [end.ping?.(5000), end.resources?.list(), end.prompts?.get('a', {})].map(async (one) => one),
      );
      raw.send(...messages);
      raw.end();
      const outcomes = await Promise.all(calls.map(({ answer }) => answer));
      expect(outcomes.every((outcome) => outcome.ok || outcome.error.code !== undefined)).toBe(true);
      await asked;
      expect(await end.ended).toEqual({ kind: 'ended' });
    }),
    { numRuns: runs(150) },
  );
});

test('whatever a call is answered with ends it, without the end of the pipe', async () => {
  const { raw, end } = await connected(mcp);
  const value = fc.jsonValue({ maxDepth: 3 });
  const part = fc.oneof(
    value,
    fc.record(
      { type: fc.constantFrom('text', 'image', 'resource'), text: value, _meta: value },
      { requiredKeys: [] },
    ),
  );
  const result = fc.record(
    {
      content: fc.oneof(value, fc.array(part)),
      structuredContent: value,
      isError: fc.oneof(value, fc.boolean()),
      _meta: fc.oneof(
        value,
        fc.record({ progressToken: value, 'io.modelcontextprotocol/related-task': value }),
      ),
      resultType: value,
    },
    { requiredKeys: [] },
  );
  const answer = fc.oneof(
    fc.record({ result: fc.oneof(value, result) }),
    fc.record({ error: fc.oneof(value, fc.record({ code: value, message: value, data: value })) }),
    fc.record({
      error: fc.record({ code: fc.oneof(fc.integer(), fc.double()), message: fc.string(), data: value }),
    }),
    fc.constant({}),
  );
  await fc.assert(
    fc.asyncProperty(answer, async (answer) => {
      const call = callAndHear(end, { tool: 'echo' });
      const { id } = await expectRequest(raw, 'tools/call');
      raw.send({ jsonrpc: '2.0', id, ...answer });
      const outcome = await call.answer;
      expect(outcome.ok || outcome.error.message !== undefined).toBe(true);
    }),
    { numRuns: runs(500), timeout: 5000 },
  );
});

/** The host has handled all that was sent before, and said nothing but that. */
async function answered({ raw }: Pick<Server, 'raw'>): Promise<void> {
  raw.send({ jsonrpc: '2.0', id: 'barrier', method: 'ping' });
  for (;;) {
    const message = (await raw.next()) as { id?: unknown; method?: string };
    if (message.id === 'barrier') return;
    expect(message.method).toBe('tools/call');
  }
}
