// Tools of every kind through the endpoint, with official clients of both eras, over HTTP and on a pipe.
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { definePlugin } from '../../src/definition/define-plugin.ts';
import { fail } from '../../src/definition/failure.ts';
import { deny, fakePolicy } from '../support/gate/gate.ts';
import {
  connectClient,
  connectOverPipe,
  testEndpoint,
  type ClientSetup,
  type TestEndpoint,
} from '../support/surface/mcp-endpoint.ts';

const calc = definePlugin({
  name: 'calc',
  version: '1.0.0',
  instructions: 'Add with care.',
  onInput: (content) => `You said ${content}.`,
  tools: {
    add: {
      title: 'Adder',
      description: 'Adds two numbers.',
      input: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      hints: { readOnly: true, idempotent: true },
      handler: ({ a, b }) => ({ sum: a + b }),
    },
    story: {
      async *handler(_: unknown, { log, progress }) {
        log('warn', 'once');
        log('debug', 'a detail');
        yield 'Once ';
        progress(1, 2, 'half');
        yield 'upon a time.';
      },
    },
    broken: {
      handler: () => {
        fail({ code: 'TOOL_FAILED', message: 'It is broken.', suggestions: ['mend it'] });
      },
    },
    list: { handler: () => [1, 2, 3] },
    chat: {
      handler(_: unknown, { keepSession }) {
        keepSession();
        return 'Go on.';
      },
    },
    long: { handler: () => 'x'.repeat(300_000) },
  },
});

type Connect = (at: TestEndpoint, setup?: ClientSetup) => Promise<Client>;

const ways: readonly (readonly [string, Connect])[] = [
  ['HTTP before 2026', (at, setup) => connectClient(at.url, setup)],
  ['HTTP since 2026', (at, setup) => connectClient(at.url, { era: 'modern', ...setup })],
  ['a pipe before 2026', (at, setup) => connectOverPipe(at.endpoint, setup)],
  ['a pipe since 2026', (at, setup) => connectOverPipe(at.endpoint, { era: 'modern', ...setup })],
];

describe.each(ways)('over %s', (_, connect) => {
  it('all exposed tools are listed with what is known of them, and instructions', async () => {
    const at = await testEndpoint({ definitions: [calc] });
    const client = await connect(at);
    expect(client.getServerVersion()).toMatchObject({ name: 'pluglot' });
    expect(client.getInstructions()).toContain('Add with care.');
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'calc__add')).toMatchObject({
      title: 'Adder',
      description: 'Adds two numbers.',
      inputSchema: { type: 'object', required: ['a', 'b'] },
      outputSchema: { type: 'object', required: ['sum'] },
      annotations: { readOnlyHint: true, idempotentHint: true },
    });
    for (const { name } of tools) expect(name).toMatch(/^[\w.-]{1,128}$/);
  });

  it('a call answers with structure and text', async () => {
    const client = await connect(await testEndpoint({ definitions: [calc] }));
    const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } });
    expect(result).toMatchObject({
      structuredContent: { sum: 5 },
      content: [{ type: 'text', text: '{"sum":5}' }],
    });
  });

  it('what a call says comes as progress that rises, before its result', async () => {
    const client = await connect(await testEndpoint({ definitions: [calc] }));
    const heard: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
    const result = await client.callTool(
      { name: 'story' },
      { onprogress: (progress) => void heard.push(progress) },
    );
    expect(result.content).toEqual([{ type: 'text', text: 'Once upon a time.' }]);
    expect(heard.map(({ message, total }) => [message, total])).toEqual([
      ['Once ', undefined],
      ['half', 2],
      ['upon a time.', 2],
    ]);
    for (const [index, { progress }] of heard.entries())
      expect(progress).toBeGreaterThan(heard[index - 1]?.progress ?? 0);
  });

  it('a failure is a result with its message and its way out', async () => {
    const client = await connect(await testEndpoint({ definitions: [calc] }));
    const result = await client.callTool({ name: 'broken' });
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'It is broken. (mend it)' }],
    });
  });

  it('arguments that do not fit are a result that says so', async () => {
    const client = await connect(await testEndpoint({ definitions: [calc] }));
    const result = await client.callTool({ name: 'add', arguments: { a: 'two' } });
    expect(result.isError).toBe(true);
  });

  it('what the gate denies is a result that says so', async () => {
    const client = await connect(await testEndpoint({ definitions: [calc], policy: fakePolicy(deny) }));
    const result = await client.callTool({ name: 'add', arguments: { a: 1, b: 1 } });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toContain('Permission denied');
  });

  it('an unknown tool is refused with what may have been meant', async () => {
    const client = await connect(await testEndpoint({ definitions: [calc] }));
    await expect(client.callTool({ name: 'ad' })).rejects.toThrow(/add/);
  });

  it('a session that the plugin keeps is explained', async () => {
    const client = await connect(await testEndpoint({ definitions: [calc] }));
    const { content } = await client.callTool({ name: 'chat' });
    expect(content).toEqual([
      { type: 'text', text: 'Go on.' },
      { type: 'text', text: expect.stringContaining('pluglot talk calc__chat') as string },
    ]);
  });

  it('a result that is too large comes as its beginning, and the rest can be read', async () => {
    const client = await connect(await testEndpoint({ definitions: [calc] }));
    const { content } = (await client.callTool({ name: 'long' })) as {
      content: { type: string; text?: string; uri?: string }[];
    };
    expect(content[0]?.text?.length).toBeLessThan(300_000);
    const link = content.find(({ type }) => type === 'resource_link');
    const { contents } = await client.readResource({ uri: link?.uri ?? '' });
    expect((contents[0] as { text: string }).text).toHaveLength(300_000);
  });

  it('the gate hears who calls, by the name of the client', async () => {
    const policy = fakePolicy();
    const client = await connect(await testEndpoint({ definitions: [calc], policy }), { name: 'an editor' });
    await client.callTool({ name: 'list' });
    const caller = policy.decided.at(-1)?.caller;
    expect(caller).toMatchObject({ kind: 'client', name: 'an editor' });
    // A connection that lasts tells apart those that give themselves one name.
    expect(caller?.connection !== undefined || caller?.access !== undefined).toBe(true);
  });

  it('other tools are told of while a client is connected', async () => {
    const at = await testEndpoint({ definitions: [calc] });
    let hear = () => {};
    const heard = new Promise<void>((resolve) => (hear = resolve));
    const client = await connect(at, {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => hear() } },
    });
    await client.listTools();
    at.registry.registerPlugin(
      definePlugin({ name: 'new', version: '1.0.0', tools: { fresh: { handler: () => 'fresh' } } }),
    );
    await at.registry.exposeTool('new');
    await heard;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('new__fresh');
    expect((await client.callTool({ name: 'new__fresh' })).content).toEqual([
      { type: 'text', text: 'fresh' },
    ]);
  });
});

it('logs come at the level that the client has set', async () => {
  const at = await testEndpoint({ definitions: [calc] });
  const client = await connectClient(at.url);
  const heard: unknown[] = [];
  client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(params.data));
  await client.setLoggingLevel('warning');
  await client.callTool({ name: 'story' });
  expect(heard).toEqual(['once']);
  await client.setLoggingLevel('debug');
  await client.callTool({ name: 'story' });
  expect(heard).toEqual(['once', 'once', 'a detail']);
});
