import { describe, expect, test } from 'vitest';
import { callAndHear } from '../../../test/support/dialect/dialect-host.ts';
import {
  connected,
  echoTool,
  expectMethod,
  expectRequest,
} from '../../../test/support/dialect/mcp/raw-server.ts';
import { mcp } from './host.ts';

// requirement: mcp:tools:call, mcp:base:request-id, mcp:base:request-id-unique, mcp:progress:token
test('a call names the tool and its arguments, with an id and a progress token of its own', async () => {
  const { raw, end } = await connected(mcp);
  callAndHear(end, { tool: 'echo', args: { text: 'a' } });
  callAndHear(end, { tool: 'echo' });
  const [first, second] = [await expectRequest(raw, 'tools/call'), await expectRequest(raw, 'tools/call')];
  expect(first.params).toEqual({ name: 'echo', arguments: { text: 'a' }, _meta: { progressToken: 1 } });
  expect(second.params).toEqual({ name: 'echo', arguments: {}, _meta: { progressToken: 2 } });
  const ids = raw.received
    .map((message) => (message as { id?: unknown }).id)
    .filter((id) => id !== undefined);
  expect(ids.every(Number.isInteger)).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a call says what trace it is a part of', async () => {
  const { raw, end } = await connected(mcp);
  const trace = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'a=1' };
  callAndHear(end, { tool: 'echo', trace });
  const { params } = await expectRequest(raw, 'tools/call');
  expect(params).toEqual({ name: 'echo', arguments: {}, _meta: { progressToken: 1, ...trace } });
});

test('a call is on its way when it was made', async () => {
  const { raw, end } = await connected(mcp);
  callAndHear(end, { tool: 'echo' });
  end.close();
  await raw.inputEnded;
  expect(raw.received.at(-1)).not.toMatchObject({ method: 'tools/call' }); // closed before the tick was over
  const other = await connected(mcp);
  callAndHear(other.end, { tool: 'echo' });
  expect(other.told.wire.at(-1)).toMatchObject({ direction: 'sent', message: { method: 'tools/call' } });
});

// requirement: mcp:base:response-id
test('answers find their calls in any order, also with ids as strings', async () => {
  const { raw, end } = await connected(mcp);
  const calls = [1, 2, 3].map(() => callAndHear(end, { tool: 'echo' }));
  const ids = ((await raw.take(3)) as { id: number }[]).map(({ id }) => id);
  raw.answer(String(ids[2]), text('three'));
  raw.answer(ids[0], text('one'));
  raw.answer(ids[1], text('two'));
  expect(await Promise.all(calls.map(({ answer }) => answer))).toEqual([
    { ok: true, text: 'one' },
    { ok: true, text: 'two' },
    { ok: true, text: 'three' },
  ]);
});

describe('results', () => {
  const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
  const audio = { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' };
  const link = { type: 'resource_link', uri: 'file:///a', name: 'a' };
  const embedded = { type: 'resource', resource: { uri: 'file:///a', text: 'A' } };

  // requirement: mcp:tools:text, mcp:tools:other-content, mcp:tools:structured-content, mcp:tools:execution-error
  test.each([
    ['one text', text('a'), { ok: true, text: 'a' }],
    [
      'many texts are lines of one',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { ok: true, text: 'a\nb' },
    ],
    ['nothing', { content: [] }, { ok: true }],
    ['no content at all', {}, { ok: true }],
    [
      'other parts are data',
      { content: [{ type: 'text', text: 'see' }, image, audio, link, embedded] },
      { ok: true, text: 'see', data: [image, audio, link, embedded] },
    ],
    ['parts of the future', { content: [{ type: 'smell' }] }, { ok: true, data: [{ type: 'smell' }] }],
    [
      'structured content is data',
      { ...text('{"a":1}'), structuredContent: { a: 1 } },
      { ok: true, text: '{"a":1}', data: { a: 1 } },
    ],
    ['structured content alone', { structuredContent: [1, 2] }, { ok: true, data: [1, 2] }],
    [
      'a failure',
      { ...text('Departure must be in the future.'), isError: true },
      {
        ok: false,
        error: { code: 'TOOL_FAILED', message: 'Departure must be in the future.' },
      },
    ],
    [
      'a failure with structured content',
      { content: [], structuredContent: { field: 'date' }, isError: true },
      {
        ok: false,
        data: { field: 'date' },
        error: { code: 'TOOL_FAILED', message: 'The tool "echo" failed and did not say why.' },
      },
    ],
    ['isError: false', { ...text('a'), isError: false }, { ok: true, text: 'a' }],
  ])('%s', async (_, result, answer) => {
    expect(await answerTo(result)).toEqual(answer);
  });

  // requirement: mcp:base:result-object
  test.each([
    ['a string', 'done', 'INVALID_RESPONSE'],
    ['null', null, 'INVALID_RESPONSE'],
    ['a list', [], 'INVALID_RESPONSE'],
    ['_meta that is no object', { content: [], _meta: 17 }, 'INVALID_RESPONSE'],
    ['content that is no list', { content: 'a' }, 'PROTOCOL_VIOLATION'],
  ])('a result that is none fails the call: %s', async (_, result, code) => {
    expect(await answerTo(result)).toMatchObject({
      ok: false,
      error: { code, message: expect.stringMatching(/^Plugin "the-plugin" answered/) as unknown },
    });
  });

  test('a result keeps the way of Python to write numbers that are none', async () => {
    const { raw, end } = await connected(mcp);
    const call = callAndHear(end, { tool: 'echo' });
    const { id } = await expectRequest(raw, 'tools/call');
    raw.sendText(`{"jsonrpc":"2.0","id":${id},"result":{"structuredContent":{"x":NaN}}}`);
    expect(await call.answer).toEqual({ ok: true, data: { x: null } });
  });
});

describe('output schemas', () => {
  const weather = {
    name: 'weather',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
  };

  // requirement: mcp:tools:output-schema, mcp:base:schema-2020-12
  test('structured content that fits', async () => {
    expect(await answerTo({ content: [], structuredContent: { celsius: 22.5 } }, weather)).toEqual({
      ok: true,
      data: { celsius: 22.5 },
    });
  });

  // requirement: mcp:tools:output-schema, mcp:base:schema-2020-12
  test('content that does not fit fails the call and is kept', async () => {
    expect(await answerTo({ ...text('warm'), structuredContent: { celsius: 'warm' } }, weather)).toEqual({
      ok: false,
      text: 'warm',
      data: { celsius: 'warm' },
      error: {
        code: 'PROTOCOL_VIOLATION',
        message:
          'Plugin "the-plugin" answered "weather" with other than its output schema says: data/celsius must be number.',
      },
    });
  });

  test('no structured content at all', async () => {
    expect(await answerTo(text('warm'), weather)).toMatchObject({
      ok: false,
      text: 'warm',
      error: {
        code: 'PROTOCOL_VIOLATION',
        message: expect.stringContaining('without structured content') as unknown,
      },
    });
  });

  test('a tool that fails need not keep to it', async () => {
    expect(await answerTo({ ...text('no'), isError: true }, weather)).toMatchObject({
      error: { code: 'TOOL_FAILED' },
    });
  });

  // requirement: mcp:base:schema-dialect
  test('a schema of another dialect counts; one of an unknown dialect is not checked, with a word', async () => {
    const $schema = 'http://json-schema.org/draft-07/schema#';
    const draft7 = { ...weather, outputSchema: { $schema, ...weather.outputSchema } };
    expect(await answerTo({ structuredContent: {} }, draft7)).toMatchObject({
      error: { code: 'PROTOCOL_VIOLATION' },
    });
    const unknown = { ...weather, outputSchema: { $schema: 'urn:nobody', ...weather.outputSchema } };
    const { raw, end, told } = await connected(mcp, { tools: [unknown] });
    const call = callAndHear(end, { tool: 'weather' });
    raw.answer((await expectRequest(raw, 'tools/call')).id, { structuredContent: {} });
    expect(await call.answer).toEqual({ ok: true, data: {} });
    expect(told.troubles).toMatchObject([
      { kind: 'thrown', where: 'the output schema of "weather", which is not checked from now on' },
    ]);
  });

  test('a schema that would take for ever to check is given up once', async () => {
    const evil = {
      ...weather,
      outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
    };
    const { raw, end, told } = await connected(mcp, { tools: [evil] });
    for (const _ of [1, 2]) {
      const call = callAndHear(end, { tool: 'weather' });
      const { id } = await expectRequest(raw, 'tools/call');
      raw.answer(id, { structuredContent: { a: `${'a'.repeat(60)}!` } });
      expect(await call.answer).toMatchObject({ ok: true });
    }
    expect(told.troubles).toMatchObject([
      { kind: 'thrown', error: { message: expect.stringContaining('timed out') as unknown } },
    ]);
  });
});

describe('errors', () => {
  // requirement: mcp:tools:protocol-error, mcp:base:error-object
  test.each([
    [-32602, 'Unknown tool: nope', 'UNKNOWN_TOOL'],
    [-32602, 'MCP error -32602: Tool nope not found', 'UNKNOWN_TOOL'],
    [-32602, 'Invalid arguments for tool echo: text is required', 'INVALID_ARGUMENTS'],
    [-32601, 'Method not found', 'UNKNOWN_TOOL'],
    [-32603, 'boom', 'INTERNAL'],
    [-32600, 'Invalid Request', 'MESSAGE_REFUSED'],
    [-32001, 'Request timed out', 'TIMEOUT'],
    [-32099, 'something of its own', 'INTERNAL'],
    [42, 'the answer', 'TOOL_FAILED'],
  ])('%d %s', async (code, message, neutral) => {
    const { raw, end } = await connected(mcp);
    const call = callAndHear(end, { tool: 'echo' });
    const { id } = await expectRequest(raw, 'tools/call');
    raw.send({ jsonrpc: '2.0', id, error: { code, message, data: { more: 1 } } });
    expect(await call.answer).toEqual({
      ok: false,
      error: { code: neutral, message, wireCode: code, data: { more: 1 } },
    });
  });

  test.each(['boom', { code: 2 ** 53, message: 'large' }])(
    'an error that is none fails the call: %j',
    async (error) => {
      const { raw, end } = await connected(mcp);
      const call = callAndHear(end, { tool: 'echo' });
      const { id } = await expectRequest(raw, 'tools/call');
      raw.send({ jsonrpc: '2.0', id, error });
      expect(await call.answer).toMatchObject({ error: { code: 'INVALID_RESPONSE' } });
    },
  );

  test('what cannot be sent fails at once with the reason', async () => {
    const { end } = await connected(mcp);
    const circle: Record<string, never> = {};
    (circle as Record<string, unknown>)['circle'] = circle;
    expect(await callAndHear(end, { tool: 'echo', args: circle }).answer).toMatchObject({
      error: { code: 'UNENCODABLE' },
    });
    const large = callAndHear(end, { tool: 'echo', args: { text: 'x'.repeat(17 * 1024 * 1024) } });
    expect(await large.answer).toMatchObject({ error: { code: 'FRAME_TOO_LARGE' } });
  });
});

describe('cancellation', () => {
  // requirement: mcp:cancellation:notification, mcp:cancellation:late-answer, mcp:lifecycle:timeout-cancels
  test('tells the server, ends the call at once and ignores the late answer', async () => {
    const { raw, end, told } = await connected(mcp);
    const call = callAndHear(end, { tool: 'echo' });
    const { id } = await expectRequest(raw, 'tools/call');
    expect(call.wireCall.cancel('the user left')).toBe('free');
    expect(await call.answer).toEqual({
      ok: false,
      error: { code: 'CALL_CANCELLED', message: 'the user left' },
    });
    expect(await raw.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: 'the user left' },
    });
    raw.answer(id, text('late'));
    await stillThere({ raw, end });
    expect(told.troubles).toEqual([]);
  });

  // requirement: mcp:cancellation:only-in-progress
  test('of what is answered, or cancelled before, says nothing', async () => {
    const { raw, end } = await connected(mcp);
    const call = callAndHear(end, { tool: 'echo' });
    const { id } = await expectRequest(raw, 'tools/call');
    raw.answer(id, text('done'));
    expect(await call.answer).toEqual({ ok: true, text: 'done' });
    expect(call.wireCall.cancel('too late')).toBe('free');
    const other = callAndHear(end, { tool: 'echo' });
    await expectRequest(raw, 'tools/call');
    other.wireCall.cancel('once');
    other.wireCall.cancel('twice');
    expect(await raw.next()).toMatchObject({
      method: 'notifications/cancelled',
      params: { reason: 'once' },
    });
    await stillThere({ raw, end });
  });

  // requirement: mcp:cancellation:invalid-ignored
  test('by the server, of nothing', async () => {
    const { raw, end, told } = await connected(mcp);
    raw.notify('notifications/cancelled', { requestId: 17 });
    raw.notify('notifications/cancelled', { requestId: {} });
    raw.notify('notifications/cancelled');
    await stillThere({ raw, end });
    expect(told.logs).toEqual([]);
  });
});

describe('progress', () => {
  // requirement: mcp:progress:fields
  test('comes as events, in wire order, also in one piece with the answer', async () => {
    const { raw, end } = await connected(mcp);
    const call = callAndHear(end, { tool: 'echo' });
    const { id } = await expectRequest(raw, 'tools/call');
    raw.send(
      progress(1, { progress: 0.5, total: 2.5, message: 'Reticulating splines...' }),
      progress('1', { progress: 2 }),
      { jsonrpc: '2.0', id, result: text('done') },
    );
    expect(await call.answer).toEqual({ ok: true, text: 'done' });
    expect(call.events).toEqual([
      { kind: 'progress', progress: 0.5, total: 2.5, message: 'Reticulating splines...' },
      { kind: 'progress', progress: 2 },
    ]);
  });

  test('of a server that streams text in our way is that text; what only looks like it is progress', async () => {
    const { raw, end } = await connected(mcp);
    const call = callAndHear(end, { tool: 'echo' });
    const { id } = await expectRequest(raw, 'tools/call');
    const marked = { 'pluglot/text': true };
    raw.send(
      progress(1, { progress: 1, message: 'live ', _meta: marked }),
      progress(1, { progress: 2, _meta: marked }),
      progress(1, { progress: 3, message: 'text', _meta: { 'pluglot/text': 'yes' } }),
      progress(1, { progress: 4, _meta: { 'pluglot/progress': 'x' } }),
      { jsonrpc: '2.0', id, result: text('done') },
    );
    expect(await call.answer).toEqual({ ok: true, text: 'done' });
    expect(call.events).toEqual([
      { kind: 'text', text: 'live ' },
      { kind: 'progress', progress: 2 },
      { kind: 'progress', progress: 3, message: 'text' },
      { kind: 'progress', progress: 4 },
    ]);
  });

  // requirement: mcp:progress:increases
  test('that goes back is passed on as it came', async () => {
    const { raw, end } = await connected(mcp);
    const call = callAndHear(end, { tool: 'echo' });
    const { id } = await expectRequest(raw, 'tools/call');
    raw.send(progress(1, { progress: 2 }), progress(1, { progress: 1 }));
    raw.answer(id, text('done'));
    await call.answer;
    expect(call.events).toMatchObject([{ progress: 2 }, { progress: 1 }]);
  });

  // requirement: mcp:progress:only-active
  test('of another call, of nothing, or of no form reaches nobody', async () => {
    const { raw, end, told } = await connected(mcp);
    const [first, second] = [callAndHear(end, { tool: 'echo' }), callAndHear(end, { tool: 'echo' })];
    const { id } = await expectRequest(raw, 'tools/call');
    raw.answer(id, text('done'));
    await first.answer;
    raw.send(progress(1, { progress: 1 }), progress(2, { progress: 1 }), progress(99, { progress: 1 }));
    raw.send(progress(2, { progress: 'much' }), progress({}, { progress: 1 }));
    await stillThere({ raw, end });
    expect(first.events).toEqual([]);
    expect(second.events).toEqual([{ kind: 'progress', progress: 1 }]);
    expect(told.troubles).toHaveLength(2);
  });
});

async function answerTo(result: unknown, tool: { name: string } = echoTool) {
  const { raw, end } = await connected(mcp, { tools: [tool] });
  const call = callAndHear(end, { tool: tool.name });
  const { id } = await expectRequest(raw, 'tools/call');
  raw.answer(id, result);
  return call.answer;
}

function text(text: string) {
  return { content: [{ type: 'text', text }] };
}

function progress(progressToken: unknown, more: object): object {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, ...more } };
}

/** All that came before was handled, and nothing but a ping was said. */
async function stillThere({ raw, end }: Pick<Awaited<ReturnType<typeof connected>>, 'raw' | 'end'>) {
  raw.send({ jsonrpc: '2.0', id: 'are you there', method: 'ping' });
  for (;;) {
    const message = (await raw.next()) as { id?: unknown; method?: string };
    if (message.id === 'are you there') break;
    expect(message.method).toBe('tools/call');
  }
  const alive = end.ping?.(5000);
  const ping = await expectMethod(raw, 'ping');
  raw.answer(ping.id, {});
  await alive;
}
