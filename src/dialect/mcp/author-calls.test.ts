// What a server of ours answers to calls of its tools and prompts, and what it says meanwhile.
import { describe, expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import {
  answeredWith,
  greetedServer,
  ok,
  servedServer,
} from '../../../test/support/dialect/mcp/author-end.ts';
import { heldCalls, type Script } from '../../../test/support/definition/scripted-backend.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Answer } from '../../definition/outcome.ts';

describe('tools/list', () => {
  // requirement: mcp:server:tools-list, mcp:server:hints
  test('tells all that is known of a tool', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string' } } };
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } } };
    const { raw } = await greetedServer({
      manifest: {
        tools: [
          {
            name: 'act',
            title: 'Act',
            description: 'Acts.',
            inputSchema,
            outputSchema,
            tags: ['t'],
            hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
          },
          { name: 'plain' },
          { name: 'any', inputSchema: true, outputSchema: true },
          { name: 'untyped', inputSchema: { properties: {} }, outputSchema: { type: 'array' } },
        ],
      },
    });
    expect((await ask(raw, 1, 'tools/list')).result).toEqual({
      tools: [
        {
          name: 'act',
          title: 'Act',
          description: 'Acts.',
          inputSchema,
          outputSchema,
          annotations: {
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false,
          },
        },
        { name: 'plain', inputSchema: { type: 'object' } },
        { name: 'any', inputSchema: { type: 'object' } },
        { name: 'untyped', inputSchema: { properties: {}, type: 'object' } },
      ],
    });
  });

  // requirement: mcp:server:pages
  test('comes in pages when it is long', async () => {
    const tools = Array.from({ length: 1001 }, (_, n) => ({ name: `tool-${n}` }));
    const { raw } = await greetedServer({ manifest: { tools } });
    const names: unknown[] = [];
    let cursor: unknown;
    for (let id = 1; id === 1 || cursor !== undefined; id++) {
      const { result } = await ask(raw, id, 'tools/list', { cursor });
      names.push(...Object.values(result?.['tools'] ?? []).map(({ name }: JsonObject) => name));
      cursor = result?.['nextCursor'];
    }
    expect(names).toEqual(tools.map(({ name }) => name));
  });

  // requirement: mcp:server:cursor-invalid
  test.each(['nonsense', '7', '-500', '0', '', 500, {}])('the cursor %j is refused', async (cursor) => {
    const { raw } = await greetedServer({});
    expect((await ask(raw, 1, 'tools/list', { cursor })).error).toMatchObject({ code: -32602 });
  });
});

describe('tools/call', () => {
  test('asks the backend, without a limit', async () => {
    const { raw, backend } = await greetedServer({ scripts: { act: ok } });
    await ask(raw, 1, 'tools/call', { name: 'act', arguments: { a: 1 } });
    await ask(raw, 2, 'tools/call', { name: 'act', arguments: null });
    expect(backend.requests).toEqual([
      { tool: 'act', args: { a: 1 }, timeoutMs: Infinity, dialect: 'mcp' },
      { tool: 'act', args: {}, timeoutMs: Infinity, dialect: 'mcp' },
    ]);
  });

  const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };

  // requirement: mcp:server:call-result, mcp:server:structured-content
  test.each<[Answer, JsonObject]>([
    [{ ok: true }, { content: [] }],
    [{ ok: true, text: '' }, { content: [] }],
    [{ ok: true, text: 'a' }, { content: [text('a')] }],
    [{ ok: true, text: 'a', keepSession: true }, { content: [text('a')] }],
    [
      { ok: true, data: { n: 1 } },
      { content: [text('{"n":1}')], structuredContent: { n: 1 } },
    ],
    [
      { ok: true, text: 'a', data: { n: 1 } },
      { content: [text('a')], structuredContent: { n: 1 } },
    ],
    [{ ok: true, data: [1, 2] }, { content: [text('[1,2]')] }],
    [{ ok: true, data: 7 }, { content: [text('7')] }],
    [{ ok: true, text: 'a', data: [image] }, { content: [text('a'), image] }],
    [{ ok: true, data: [image, image] }, { content: [image, image] }],
    [{ ok: true, data: [] }, { content: [text('[]')] }],
    [
      { ok: true, outputs: { a: 'b' } },
      { content: [text('{"a":"b"}')], structuredContent: { a: 'b' } },
    ],
    [
      { ok: true, text: 't', data: { n: 1 }, outputs: { a: 'b' } },
      { content: [text('t')], structuredContent: { n: 1 } },
    ],
  ])('%j is answered with %j', async (answer, result) => {
    expect((await answeredWith(answer)).result).toEqual(result);
  });

  // requirement: mcp:server:tool-failure, mcp:server:invalid-arguments
  test.each<[Answer & { ok: false }, JsonObject[], JsonObject]>([
    [{ ok: false, error: { code: 'TOOL_FAILED', message: 'No.' } }, [text('No.')], { code: 'TOOL_FAILED' }],
    [
      { ok: false, error: { code: 'INVALID_ARGUMENTS', message: 'a is missing.' } },
      [text('a is missing.')],
      { code: 'INVALID_ARGUMENTS' },
    ],
    [
      {
        ok: false,
        text: 'Half done.',
        error: {
          code: 'UNAVAILABLE',
          message: 'No.',
          reason: 'Down',
          details: { a: 1 },
          recoverable: true,
          suggestions: ['Wait', 'Ask'],
        },
      },
      [text('Half done.'), text('No. (Wait; Ask)')],
      {
        code: 'UNAVAILABLE',
        reason: 'Down',
        details: { a: 1 },
        recoverable: true,
        suggestions: ['Wait', 'Ask'],
      },
    ],
    [{ ok: false, error: { code: 'INTERNAL', message: 'Broken.' } }, [text('Broken.')], { code: 'INTERNAL' }],
    [{ ok: false, error: { code: 'TIMEOUT', message: 'Late.' } }, [text('Late.')], { code: 'TIMEOUT' }],
  ])('%j is a result that says so', async (answer, content, failure) => {
    const { result } = await answeredWith(answer);
    expect(result).toEqual({
      content,
      isError: true,
      _meta: { 'pluglot/failure': { message: answer.error.message, ...failure } },
    });
  });

  test('a failure keeps its data, unless a schema promises something else', async () => {
    const answer: Answer = { ok: false, data: { seen: 1 }, error: { code: 'TOOL_FAILED', message: 'No.' } };
    expect((await answeredWith(answer)).result).toHaveProperty('structuredContent', { seen: 1 });
    const tools = [{ name: 'act', outputSchema: { type: 'object', required: ['n'] } }];
    expect((await answeredWith(answer, { tools })).result).not.toHaveProperty('structuredContent');
  });

  // requirement: mcp:server:unknown-tool
  test('an unknown tool is no tool that failed', async () => {
    const { raw } = await greetedServer({});
    expect((await ask(raw, 1, 'tools/call', { name: 'nope', arguments: {} })).error).toEqual({
      code: -32602,
      message: 'Unknown tool: nope',
    });
  });

  test('calls run side by side', async () => {
    const held = heldCalls();
    const { raw } = await greetedServer({ scripts: { wait: held.script } });
    for (const id of [1, 2]) raw.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait' } });
    const first = await held.next();
    (await held.next()).end({ ok: true, text: 'second' });
    first.end({ ok: true, text: 'first' });
    expect(await raw.take(2)).toMatchObject([
      { id: 2, result: { content: [text('second')] } },
      { id: 1, result: { content: [text('first')] } },
    ]);
  });
});

describe('cancellation', () => {
  // requirement: mcp:server:cancelled
  test('gives the call up and leaves it unanswered', async () => {
    const held = heldCalls();
    const { raw, backend } = await greetedServer({ scripts: { wait: held.script } });
    raw.send({ jsonrpc: '2.0', id: 'c1', method: 'tools/call', params: { name: 'wait' } });
    const call = await held.next();
    raw.notify('notifications/cancelled', { requestId: 'c1', reason: 'enough' });
    const { notifications } = await ask(raw, 2, 'ping');
    call.end({ ok: true, text: 'too late' });
    expect(backend.cancelled).toEqual(['the host gave the call up.']);
    expect([...notifications, ...(await ask(raw, 3, 'ping')).notifications]).toEqual([]);
  });

  // requirement: mcp:server:cancelled-unknown
  test('of something unknown, done, malformed, or the hello is passed over', async () => {
    let finish = () => {};
    const setup = () => new Promise<void>((resolve) => (finish = resolve));
    const { raw } = servedServer({ setup });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } });
    for (const requestId of [1, 99, 'x', null, {}, undefined])
      raw.notify('notifications/cancelled', { requestId });
    await ask(raw, 2, 'ping');
    finish();
    expect(await raw.next()).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } });
    raw.notify('notifications/cancelled', { requestId: 2 });
    expect((await ask(raw, 3, 'ping')).notifications).toEqual([]);
  });
});

describe('progress', () => {
  const busy: Script = (_, sink) => {
    sink.event({ kind: 'text', text: 'one' });
    sink.event({ kind: 'text', text: 'two' });
    sink.event({ kind: 'progress', progress: 10, total: 20, message: 'Half' });
    sink.event({ kind: 'progress', progress: 10 });
    sink.event({ kind: 'text', text: 'three' });
    sink.event({ kind: 'progress', progress: 20, total: 20 });
    sink.end({ ok: true, text: 'onetwothree' });
    sink.event({ kind: 'progress', progress: 30 });
  };

  // requirement: mcp:server:progress
  test.each(['token', 0, 7])('rises, under the token %j, and ends with the answer', async (progressToken) => {
    const { raw } = await greetedServer({ scripts: { busy } });
    const { notifications } = await ask(raw, 1, 'tools/call', { name: 'busy', _meta: { progressToken } });
    const told = (notifications as { method: string; params: JsonObject }[]).map(({ method, params }) => {
      expect(method).toBe('notifications/progress');
      expect(params['progressToken']).toBe(progressToken);
      return [params['progress'], params['total'], params['message'], params['_meta']];
    });
    expect(told).toEqual([
      [1, undefined, 'one', { 'pluglot/text': true }],
      [2, undefined, 'two', { 'pluglot/text': true }],
      [10, 20, 'Half', undefined],
      [expect.closeTo(10, 3), undefined, undefined, { 'pluglot/progress': 10 }],
      // A bar keeps its end.
      [expect.closeTo(10, 3), 20, 'three', { 'pluglot/text': true }],
      [20, 20, undefined, undefined],
    ]);
    const values = told.map(([progress]) => Number(progress));
    expect(values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0))).toBe(true);
    expect((await ask(raw, 2, 'ping')).notifications).toEqual([]);
  });

  test.each([undefined, {}, { progressToken: null }, { progressToken: {} }, 'x'])(
    'is not told to those who send no token: %j',
    async (_meta) => {
      const { raw } = await greetedServer({ scripts: { busy } });
      expect((await ask(raw, 1, 'tools/call', { name: 'busy', _meta })).notifications).toEqual([]);
    },
  );
});

describe('logs', () => {
  const chatty: Script = (_, sink) => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      sink.event({ kind: 'log', level, message: level });
    sink.event({ kind: 'log', level: 'error', message: 'm', data: { a: 1 } });
    sink.end({ ok: true });
  };

  // requirement: mcp:server:log-fields
  test('are messages, all of them while nobody has asked for less', async () => {
    const { raw, server } = await greetedServer({ scripts: { chatty } });
    const { notifications } = await ask(raw, 1, 'tools/call', { name: 'chatty' });
    expect(notifications).toEqual([
      log('debug', 'debug'),
      log('info', 'info'),
      log('warning', 'warn'),
      log('error', 'error'),
      log('error', { message: 'm', data: { a: 1 } }),
    ]);
    server.log({ level: 'info', message: 'of no call' });
    expect(await raw.next()).toEqual(log('info', 'of no call'));
  });

  // requirement: mcp:server:log-level
  test.each([
    ['debug', 5],
    ['info', 4],
    ['notice', 3],
    ['warning', 3],
    ['error', 2],
    ['critical', 0],
    ['emergency', 0],
  ])('from level %s on there are %d', async (level, count) => {
    const { raw } = await greetedServer({ scripts: { chatty } });
    expect((await ask(raw, 1, 'logging/setLevel', { level })).result).toEqual({});
    expect((await ask(raw, 2, 'tools/call', { name: 'chatty' })).notifications).toHaveLength(count);
  });

  test.each(['warn', 'loud', 7, undefined])('the level %j is refused', async (level) => {
    const { raw } = await greetedServer({});
    expect((await ask(raw, 1, 'logging/setLevel', { level })).error).toMatchObject({ code: -32602 });
  });
});

function text(text: string): JsonObject {
  return { type: 'text', text };
}

function log(level: string, data: unknown) {
  return { jsonrpc: '2.0', method: 'notifications/message', params: { level, data } };
}
