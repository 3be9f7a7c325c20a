// Plugins on the SDK as servers of MCP: under the official client, and under one written from the specification.
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../support/project.ts';
import { hasPython } from '../support/python.ts';
import { seenBy } from './raw-host.ts';

const plugin = path.join(root, 'test/plugins/sdk/takes-notes.mjs');

describe('under the official client', () => {
  // requirement: mcp:server:tools-list, mcp:server:call-result, mcp:server:structured-content, mcp:server:tool-failure
  test('tools are listed and called', async () => {
    const client = await connected();
    expect(client.getServerVersion()).toEqual({
      name: 'takes-notes',
      version: '1.2.3',
      description: 'Takes notes',
    });
    expect(client.getInstructions()).toBe('One note is one thought.');
    const { tools } = await client.listTools();
    expect(tools).toContainEqual({
      name: 'add',
      description: 'Adds a note',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: false },
    });
    expect(await client.callTool({ name: 'add', arguments: { text: 'one' } })).toMatchObject({
      content: [{ type: 'text', text: 'Noted by nobody' }],
      structuredContent: { count: 1, last: 'one' },
    });
    // The client checks it against the output schema.
    expect(await client.callTool({ name: 'count' })).toMatchObject({ structuredContent: { count: 1 } });
    expect(await client.callTool({ name: 'lose' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'The notes are lost. (Look again)' }],
    });
    expect(await client.callTool({ name: 'add', arguments: {} })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'ad' })).rejects.toMatchObject({ code: -32602 });
    await client.ping();
  });

  // requirement: mcp:server:progress, mcp:server:log-fields, mcp:server:log-level
  test('progress and logs arrive', async () => {
    const client = await connected();
    const logs: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params));
    for (const text of ['one', 'two']) await client.callTool({ name: 'add', arguments: { text } });
    expect(logs).toEqual([
      { level: 'info', data: { message: 'noted', data: { length: 3 } } },
      { level: 'info', data: { message: 'noted', data: { length: 3 } } },
    ]);
    await client.setLoggingLevel('error');
    await client.callTool({ name: 'add', arguments: { text: 'three' } });
    expect(logs).toHaveLength(2);
    const progress: unknown[] = [];
    const { content } = await client.callTool(
      { name: 'pause' },
      {
        onprogress: (told) => {
          // The client drops progress that comes in one piece with the answer: the tool waits until it was heard.
          if (progress.push(told) === 2) void client.callTool({ name: 'goOn' });
        },
      },
    );
    expect(content).toEqual([{ type: 'text', text: 'Pause. Over.' }]);
    expect(progress).toEqual([
      { progress: 1, total: 2, message: 'Half' },
      {
        progress: expect.closeTo(1, 3) as number,
        total: 2,
        message: 'Pause. ',
        _meta: { 'pluglot/text': true },
      },
    ]);
  });

  // requirement: mcp:server:prompts, mcp:server:completion
  test('commands are prompts', async () => {
    const client = await connected();
    expect(await client.listPrompts()).toMatchObject({
      prompts: [{ name: 'review', arguments: [{ name: 'topic', required: true }] }],
    });
    expect(await client.getPrompt({ name: 'review', arguments: { topic: 'style' } })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'Please review my notes for style.' } }],
    });
    await expect(client.getPrompt({ name: 'review' })).rejects.toMatchObject({ code: -32602 });
    expect(
      await client.complete({
        ref: { type: 'ref/prompt', name: 'review' },
        argument: { name: 'topic', value: 's' },
      }),
    ).toMatchObject({ completion: { values: ['style', 'sense', 'spelling'] } });
  });

  // requirement: mcp:server:cancelled
  test('a call that is given up leaves the server free for others', async () => {
    const client = await connected();
    const giveUp = new AbortController();
    client.setNotificationHandler('notifications/message', () => giveUp.abort('enough'));
    await expect(client.callTool({ name: 'wait' }, { signal: giveUp.signal })).rejects.toBeDefined();
    expect(await client.callTool({ name: 'count' })).toMatchObject({ structuredContent: { count: 0 } });
  });

  // requirement: mcp:server:stateless-discover, mcp:server:stateless-results
  test('a client of 2026-07-28 is answered in its own era', async () => {
    const client = await connected({ versionNegotiation: { mode: 'auto' } });
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(client.getServerVersion()).toMatchObject({ name: 'takes-notes', version: '1.2.3' });
    expect(client.getInstructions()).toBe('One note is one thought.');
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('add');
    expect(await client.callTool({ name: 'add', arguments: { text: 'one' } })).toMatchObject({
      content: [{ type: 'text', text: 'Noted by nobody' }],
      structuredContent: { count: 1 },
    });
    expect(await client.callTool({ name: 'lose' })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'ad' })).rejects.toMatchObject({ code: -32602 });
    expect(await client.listPrompts()).toMatchObject({ prompts: [{ name: 'review' }] });
    expect(await client.getPrompt({ name: 'review', arguments: { topic: 'style' } })).toMatchObject({
      messages: [{ content: { text: 'Please review my notes for style.' } }],
    });
    const subscription = await client.listen({ toolsListChanged: true });
    await subscription.close();
    expect(await client.callTool({ name: 'count' })).toMatchObject({ structuredContent: { count: 1 } });
  });

  async function connected(options = {}): Promise<Client> {
    const client = new Client({ name: 'official', version: '1.0.0' }, options);
    const transport = new StdioClientTransport({ command: process.execPath, args: [plugin] });
    onTestFinished(() => client.close());
    await client.connect(transport);
    return client;
  }
});

describe.runIf(hasPython)('under a client written from the specification', () => {
  const hello = [
    {
      request: 'initialize',
      params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
    },
    { notify: 'notifications/initialized' },
  ];

  // requirement: mcp:server:version-spoken, mcp:server:hello-fields, mcp:server:capabilities, mcp:server:end
  test('a whole session', async () => {
    const seen = await seenBy('mcp_client.py', [
      ...hello,
      { request: 'ping' },
      { request: 'tools/list', params: {} },
      {
        request: 'tools/call',
        params: { name: 'add', arguments: { text: 'one' }, _meta: { progressToken: 'p' } },
      },
      { request: 'tools/call', params: { name: 'recite', _meta: { progressToken: 'p' } } },
      { request: 'resources/list' },
    ]);
    expect(seen).toMatchObject({
      seen: [
        {
          before: [],
          result: {
            protocolVersion: '2025-03-26',
            capabilities: { tools: {}, prompts: {}, logging: {}, completions: {} },
            serverInfo: { name: 'takes-notes', version: '1.2.3' },
          },
        },
        { before: [], result: {} },
        { result: { tools: expect.any(Array) as unknown } },
        {
          before: [{ method: 'notifications/message', params: { level: 'info' } }],
          result: { content: [{ type: 'text', text: 'Noted by nobody' }] },
        },
        {
          before: [
            { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 1 } },
            { method: 'notifications/progress', params: { progressToken: 'p', message: 'one\n' } },
          ],
          result: { content: [{ type: 'text', text: 'one\n' }] },
        },
        { error: { code: -32601 } },
      ],
      left: '',
      exitCode: 0,
    });
  });

  // requirement: mcp:server:cancelled, mcp:server:ping
  test('while a tool runs it answers pings; when it is cancelled, nothing', async () => {
    const seen = await seenBy('mcp_client.py', [
      ...hello,
      { start: 'tools/call', params: { name: 'wait' } },
      { hear: 'notifications/message' },
      { request: 'ping' },
      { notify: 'notifications/cancelled', params: { requestId: '$started', reason: 'enough' } },
      { request: 'ping' },
      { request: 'tools/call', params: { name: 'count' } },
    ]);
    expect(seen).toMatchObject({
      seen: [
        {},
        { params: { data: 'waiting' } },
        { before: [], result: {} },
        { before: [], result: {} },
        { before: [], result: { structuredContent: { count: 0 } } },
      ],
      left: '',
      exitCode: 0,
    });
  });

  test('a setup that fails is told, and the config comes from the command line', async () => {
    const [initialize] = hello;
    const args = ['--config', '{"author":"refused"}'];
    expect(await seenBy('mcp_client.py', [initialize], args)).toMatchObject({
      seen: [{ error: { code: -32603, message: expect.stringContaining('may not write') as string } }],
      exitCode: 0,
    });
  });
});
