import { describe, expect, test } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { hostAndRawEnd } from '../../../test/support/dialect/dialect-host.ts';
import {
  connected,
  echoTool,
  expectMethod,
  expectRequest,
  helloResult,
} from '../../../test/support/dialect/mcp/raw-server.ts';
import type { RawEnd } from '../../../test/support/channel/raw-end.ts';
import type { WirePort } from '../host-dialect.ts';
import { mcp } from './host.ts';

describe('tools', () => {
  // requirement: mcp:tools:list, mcp:tools:annotations-untrusted
  test('all that is told of a tool', async () => {
    const weather = {
      name: 'get_weather',
      title: 'Weather',
      description: 'Gets the weather.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      outputSchema: { type: 'object', properties: { celsius: { type: 'number' } } },
      annotations: {
        title: 'not this',
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      },
      icons: [{ src: 'https://example.com/i.png' }],
    };
    const { end } = await connected(mcp, { tools: [weather] });
    expect(end.manifest.tools).toEqual([
      {
        name: 'get_weather',
        title: 'Weather',
        description: 'Gets the weather.',
        inputSchema: weather.inputSchema,
        outputSchema: weather.outputSchema,
        hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
      },
    ]);
  });

  // requirement: mcp:tools:input-schema
  test.each([
    ['that takes nothing', { type: 'object', additionalProperties: false }, true],
    ['with a schema that is null', null, false],
    ['with none', undefined, false],
    ['with one that is no schema', 'string', false],
  ])('one %s', async (_, inputSchema, isKept) => {
    const { end } = await connected(mcp, { tools: [{ name: 'a', inputSchema }] });
    expect(end.manifest.tools).toEqual([isKept ? { name: 'a', inputSchema } : { name: 'a' }]);
  });

  // requirement: mcp:tools:names
  test('what is no tool is left out with a word, and so is a name that was there before', async () => {
    const { end, told } = await connected(mcp, {
      tools: [
        echoTool,
        null,
        {},
        { name: 7 },
        { name: '' },
        { ...echoTool, title: 'again' },
        { ...echoTool, name: 'Echo' },
      ],
    });
    expect(end.manifest.tools.map(({ name }) => name)).toEqual(['echo', 'Echo']);
    expect(told.troubles.map((trouble) => trouble.kind === 'invalid' && trouble.reason)).toEqual([
      'a tool was left out: a tool is an object',
      'a tool was left out: a tool has a name',
      'a tool was left out: a tool has a name',
      'a tool was left out: a tool has a name',
      'a tool was left out: the name is taken',
    ]);
  });
});

describe('pages', () => {
  // requirement: mcp:pagination:next-cursor, mcp:pagination:end, mcp:pagination:opaque, mcp:pagination:page-size
  test('are asked for one by one until there is no cursor', async () => {
    const { tools, asked } = await paged((page) =>
      page < 4
        ? {
            tools: Array.from({ length: page }, (_, index) => tool(`${page}-${index}`)),
            nextCursor: `{"p":${page}} ✓`,
          }
        : { tools: [] },
    );
    expect(tools).toEqual(['1-0', '2-0', '2-1', '3-0', '3-1', '3-2']);
    expect(asked).toEqual([
      undefined,
      { cursor: '{"p":1} ✓' },
      { cursor: '{"p":2} ✓' },
      { cursor: '{"p":3} ✓' },
    ]);
  });

  test('that never end stop at a limit, with what came', async () => {
    const { tools, asked, troubles } = await paged((page) => ({
      tools: [tool(`${page}`)],
      nextCursor: `${page}`,
    }));
    expect(asked).toHaveLength(64);
    expect(tools).toHaveLength(64);
    expect(troubles).toEqual(['tools/list does not end: 64 pages are the limit']);
  });

  test('that go in a circle stop', async () => {
    const { tools, asked, troubles } = await paged((page) => ({
      tools: [tool(`${page}`)],
      nextCursor: `${page % 2}`,
    }));
    expect(asked).toHaveLength(3);
    expect(tools).toEqual(['1', '2', '3']);
    expect(troubles).toEqual(['tools/list does not end: a cursor came for the second time']);
  });

  test('with more tools than anybody needs stop', async () => {
    const { tools, asked, troubles } = await paged((page) => ({
      tools: Array.from({ length: 3000 }, (_, index) => tool(`${page}-${index}`)),
      nextCursor: `${page}`,
    }));
    expect(asked).toHaveLength(2);
    expect(tools).toHaveLength(4096);
    expect(troubles).toEqual(['tools/list does not end: 4096 items are the limit']);
  });

  async function paged(answer: (page: number) => object) {
    const { raw, connected, told } = hostAndRawEnd(mcp, 'lines');
    raw.answer((await raw.nextRequest()).id, helloResult());
    await expectMethod(raw, 'notifications/initialized');
    const asked: unknown[] = [];
    raw.onMessage((message) => {
      const { id, params } = message as { id: number; params?: unknown };
      asked.push(params);
      raw.answer(id, answer(asked.length));
    });
    const first = await expectRequest(raw, 'tools/list');
    if (asked.length === 0) {
      asked.push(first.params);
      raw.answer(first.id, answer(1));
    }
    const { manifest } = await connected;
    return {
      asked,
      tools: manifest.tools.map(({ name }) => name),
      troubles: told.troubles.map((trouble) => trouble.kind === 'invalid' && trouble.reason),
    };
  }

  function tool(name: string): object {
    return { name, inputSchema: { type: 'object' } };
  }
});

describe('other tools', () => {
  // requirement: mcp:tools:list-changed
  test('are listed again, once for many notifications', async () => {
    const clock = fakeClock();
    const { raw, told } = await connected(mcp, { clock });
    for (let times = 0; times < 50; times++) raw.notify('notifications/tools/list_changed');
    await handled(raw);
    clock.advance(1000);
    const list = await expectRequest(raw, 'tools/list');
    raw.answer(list.id, { tools: [{ name: 'other' }] });
    await expect.poll(() => told.toolLists).toEqual([[{ name: 'other' }]]);
    clock.advance(10_000);
    await handled(raw);
    expect(told.toolLists).toHaveLength(1);
  });

  test('that change while they are listed are listed once more', async () => {
    const clock = fakeClock();
    const { raw, told } = await connected(mcp, { clock });
    raw.notify('notifications/tools/list_changed');
    await handled(raw);
    clock.advance(1000);
    const list = await expectRequest(raw, 'tools/list');
    raw.notify('notifications/tools/list_changed');
    raw.notify('notifications/tools/list_changed');
    raw.answer(list.id, { tools: [{ name: 'one' }] });
    await expect.poll(() => told.toolLists).toHaveLength(1);
    clock.advance(1000);
    const again = await expectRequest(raw, 'tools/list');
    raw.answer(again.id, { tools: [{ name: 'two' }] });
    await expect.poll(() => told.toolLists).toEqual([[{ name: 'one' }], [{ name: 'two' }]]);
  });

  test('that are never told leave the old ones, with a word', async () => {
    const clock = fakeClock();
    const { raw, told } = await connected(mcp, { clock, spec: { limits: { startMs: 500 } } });
    raw.notify('notifications/tools/list_changed');
    await handled(raw);
    clock.advance(100);
    await expectRequest(raw, 'tools/list');
    clock.advance(500);
    await expectMethod(raw, 'notifications/cancelled');
    await expect
      .poll(() => told.troubles)
      .toMatchObject([
        { kind: 'thrown', where: 'the request for tools that have changed', error: { code: 'CALL_TIMEOUT' } },
      ]);
    expect(told.toolLists).toEqual([]);
  });

  test('that changed during the start are listed after it', async () => {
    const { raw, connected, told } = hostAndRawEnd(mcp, 'lines');
    raw.answer((await raw.nextRequest()).id, helloResult());
    await expectMethod(raw, 'notifications/initialized');
    const list = await expectRequest(raw, 'tools/list');
    raw.notify('notifications/tools/list_changed');
    raw.answer(list.id, { tools: [] });
    await connected;
    const again = await expectRequest(raw, 'tools/list');
    raw.answer(again.id, { tools: [echoTool] });
    await expect.poll(() => told.toolLists).toMatchObject([[{ name: 'echo' }]]);
  });
});

describe('resources', () => {
  // requirement: mcp:resources:list, mcp:resources:templates
  test('and their templates are listed, all pages of them', async () => {
    const { raw, end } = await connected(mcp, { capabilities: { resources: {} } });
    const listed = end.resources?.list();
    raw.answer((await expectRequest(raw, 'resources/list')).id, {
      resources: [{ uri: 'a:1', name: '1' }],
      nextCursor: 'x',
    });
    const second = await expectRequest(raw, 'resources/list');
    expect(second.params).toEqual({ cursor: 'x' });
    raw.answer(second.id, { resources: [{ uri: 'a:2', name: '2', more: true }] });
    raw.answer((await expectRequest(raw, 'resources/templates/list')).id, {
      resourceTemplates: [{ uriTemplate: 'a:{n}' }],
    });
    expect(await listed).toEqual({
      resources: [
        { uri: 'a:1', name: '1' },
        { uri: 'a:2', name: '2', more: true },
      ],
      resourceTemplates: [{ uriTemplate: 'a:{n}' }],
    });
  });

  test('of a server that knows no templates', async () => {
    const { raw, end } = await connected(mcp, { capabilities: { resources: {} } });
    const listed = end.resources?.list();
    raw.answer((await expectRequest(raw, 'resources/list')).id, { resources: [] });
    refuse(raw, await expectRequest(raw, 'resources/templates/list'), -32601, 'Method not found');
    expect(await listed).toEqual({ resources: [], resourceTemplates: [] });
  });

  // requirement: mcp:resources:read
  test('are read as they are', async () => {
    const { raw, end } = await connected(mcp, { capabilities: { resources: {} } });
    const read = end.resources?.read('file:///a');
    const request = await expectRequest(raw, 'resources/read');
    expect(request.params).toEqual({ uri: 'file:///a' });
    const contents = [
      { uri: 'file:///a', text: 'A' },
      { uri: 'file:///b', blob: 'Qg==' },
    ];
    raw.answer(request.id, { contents });
    expect(await read).toEqual({ contents });
  });

  // requirement: mcp:resources:not-found
  test.each([-32002, -32602])('that are not there fail: %d', async (code) => {
    const { raw, end } = await connected(mcp, { capabilities: { resources: {} } });
    const read = end.resources?.read('file:///a');
    refuse(raw, await expectRequest(raw, 'resources/read'), code, 'Resource not found');
    await expect(read).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: `Plugin "the-plugin" answered resources/read with error ${code}: Resource not found.`,
    });
  });

  test('are not waited for without end', async () => {
    const clock = fakeClock();
    const { raw, end } = await connected(mcp, {
      clock,
      capabilities: { resources: {} },
      spec: { limits: { callMs: 5000 } },
    });
    const read = end.resources?.read('file:///a');
    await expectRequest(raw, 'resources/read');
    clock.advance(5000);
    await expect(read).rejects.toMatchObject({
      code: 'CALL_TIMEOUT',
      message: 'Plugin "the-plugin" did not answer resources/read within 5000 ms.',
    });
  });
});

describe('prompts', () => {
  // requirement: mcp:prompts:list, mcp:prompts:get
  test('are listed and got as they are', async () => {
    const { raw, end } = await connected(mcp, { capabilities: { prompts: {} } });
    const listed = end.prompts?.list();
    raw.answer((await expectRequest(raw, 'prompts/list')).id, { prompts: [{ name: 'review' }] });
    expect(await listed).toEqual({ prompts: [{ name: 'review' }] });
    const got = end.prompts?.get('review', { code: 'x' });
    const request = await expectRequest(raw, 'prompts/get');
    expect(request.params).toEqual({ name: 'review', arguments: { code: 'x' } });
    const messages = [{ role: 'user', content: { type: 'text', text: 'Review x.' } }];
    raw.answer(request.id, { description: 'd', messages });
    expect(await got).toEqual({ description: 'd', messages });
  });

  // requirement: mcp:prompts:invalid
  test('that lack an argument fail', async () => {
    const { raw, end } = await connected(mcp, { capabilities: { prompts: {} } });
    const got = end.prompts?.get('review', {});
    refuse(raw, await expectRequest(raw, 'prompts/get'), -32602, 'code is required');
    await expect(got).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  test('of a server that has only declared them are not supported', async () => {
    const { raw, end } = await connected(mcp, { capabilities: { prompts: {} } });
    const listed = end.prompts?.list();
    refuse(raw, await expectRequest(raw, 'prompts/list'), -32601, 'Method not found');
    await expect(listed).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });
});

describe('ping', () => {
  // requirement: mcp:ping:stale, mcp:lifecycle:request-timeouts
  test('fails after its limit', async () => {
    const clock = fakeClock();
    const { raw, end } = await connected(mcp, { clock });
    const alive = end.ping?.(1000);
    await expectRequest(raw, 'ping');
    clock.advance(1000);
    await expect(alive).rejects.toMatchObject({
      code: 'CALL_TIMEOUT',
      message: 'Plugin "the-plugin" did not answer ping within 1000 ms.',
    });
  });

  test.each([
    ['an empty result', { result: {} }],
    ['a refusal', { error: { code: -32601, message: 'Method not found' } }],
    ['a result that is none', { result: null }],
  ])('is content with %s', async (_, answer) => {
    const { raw, end } = await connected(mcp);
    const alive = (end as Required<WirePort>).ping(1000);
    const { id } = await expectRequest(raw, 'ping');
    raw.send({ jsonrpc: '2.0', id, ...answer });
    await expect(alive).resolves.toBeUndefined();
  });
});

function refuse(raw: RawEnd, { id }: { id: number }, code: number, message: string): void {
  raw.send({ jsonrpc: '2.0', id, error: { code, message } });
}

/** When this resolves, the host has handled all that the raw end sent before. */
async function handled(raw: RawEnd): Promise<void> {
  raw.send({ jsonrpc: '2.0', id: 'barrier', method: 'ping' });
  expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 'barrier', result: {} });
}
