// What MCP plugins have beside tools, and what they ask of clients, through the endpoint.
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { definePlugin } from '../../src/definition/define-plugin.ts';
import type { PluginSpec } from '../../src/definition/plugin-spec.ts';
import {
  connectClient,
  connectOverPipe,
  testEndpoint,
  type ClientSetup,
  type TestEndpoint,
} from '../support/surface/mcp-endpoint.ts';
import { root } from '../support/project.ts';

const fixture = (name = 'fixture'): PluginSpec => ({
  name,
  dialect: 'mcp',
  start: { kind: 'program', command: path.join(root, 'test/mcp-conformance/fixture-server.mjs'), args: [] },
});

const town = definePlugin({
  name: 'town',
  version: '1.0.0',
  commands: {
    visit: {
      description: 'Goes there.',
      parameters: [{ name: 'where', description: 'A town.', required: true }],
      shareWithModel: true,
      handler: ({ where }) => `You are in ${where as string}.`,
      complete: (_, typed) => ['Rome', 'Riga', 'Oslo'].filter((name) => name.startsWith(typed)),
    },
    secret: { handler: () => 'For your eyes.' },
    rules: { forUsersOnly: true, handler: () => 'Everything is allowed now.' },
  },
});

type Connect = (at: TestEndpoint, setup?: ClientSetup) => Promise<Client>;

const ways: readonly (readonly [string, Connect])[] = [
  ['HTTP before 2026', (at, setup) => connectClient(at.url, setup)],
  ['HTTP since 2026', (at, setup) => connectClient(at.url, { era: 'modern', ...setup })],
  ['a pipe before 2026', (at, setup) => connectOverPipe(at.endpoint, setup)],
  ['a pipe since 2026', (at, setup) => connectOverPipe(at.endpoint, { era: 'modern', ...setup })],
];

const textIn = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;

// What does not depend on the way there, once for each era.
describe.each([ways[0], ways[3]].flatMap((way) => (way === undefined ? [] : [way])))(
  'over %s',
  (_, connect) => {
    it('resources are listed and read, those of templates too', async () => {
      const client = await connect(await testEndpoint({ specs: [fixture()] }));
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain('test://static-text');
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates).toHaveLength(1);
      expect((await client.readResource({ uri: 'test://static-text' })).contents[0]).toMatchObject({
        text: expect.any(String) as string,
      });
      expect((await client.readResource({ uri: 'test://template/7/data' })).contents[0]).toMatchObject({
        uri: 'test://template/7/data',
      });
      await expect(client.readResource({ uri: 'test://nowhere' })).rejects.toThrow(/not found/);
    });

    it('names that clients do not take are mapped, lead back, and stay as titles', async () => {
      const command = path.join(root, 'test/plugins/mcp/names-oddly.mjs');
      const odd: PluginSpec = {
        name: 'odd.one',
        dialect: 'mcp',
        start: { kind: 'program', command, args: [] },
      };
      const client = await connect(await testEndpoint({ specs: [odd] }));
      const { tools } = await client.listTools();
      const { prompts } = await client.listPrompts();
      expect(tools).toHaveLength(7);
      expect(prompts).toHaveLength(7);
      for (const listed of [tools, prompts]) {
        expect(new Set(listed.map(({ name }) => name)).size).toBe(7);
        for (const { name } of listed) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }
      for (const { name, title = '', _meta } of tools) {
        expect(_meta?.['pluglot/name']).toBe(`odd.one__${title}`);
        expect(textIn(await client.callTool({ name }))).toBe(title);
        // As other hosts and people write it.
        expect(textIn(await client.callTool({ name: `mcp__odd.one__${title}` }))).toBe(title);
      }
      for (const { name, title } of prompts)
        expect((await client.getPrompt({ name })).messages[0]?.content).toEqual({
          type: 'text',
          text: title,
        });
    });

    it('a cursor that no page gave is refused', async () => {
      const client = await connect(await testEndpoint({ definitions: [town] }));
      for (const cursor of ['-1', '1', '1000', 'x', ''])
        await expect(client.request({ method: 'tools/list', params: { cursor } })).rejects.toThrow(/cursor/);
    });

    it('commands that change what is allowed are no prompts, whatever is allowed', async () => {
      const at = await testEndpoint({ definitions: [town] });
      const client = await connect(at);
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
        'town__visit',
        'town__secret',
      ]);
      for (const name of ['rules', 'town__rules']) {
        await expect(client.getPrompt({ name })).rejects.toThrow('is for the user of this host alone');
        await expect(client.callTool({ name })).rejects.toThrow('There is no tool');
        const completion = client.complete({
          ref: { type: 'ref/prompt', name },
          argument: { name: 'a', value: '' },
        });
        await expect(completion).rejects.toThrow('There is no prompt');
      }
    });

    it('prompts of plugins and commands of the user are prompts', async () => {
      const client = await connect(await testEndpoint({ specs: [fixture()], definitions: [town] }));
      const { prompts } = await client.listPrompts();
      expect(prompts.find(({ name }) => name === 'town__visit')).toEqual({
        name: 'town__visit',
        description: 'Goes there.',
        arguments: [{ name: 'where', description: 'A town.', required: true }],
      });
      const visited = await client.getPrompt({ name: 'town__visit', arguments: { where: 'Rome' } });
      expect(visited.messages).toEqual([
        { role: 'user', content: { type: 'text', text: 'You are in Rome.' } },
      ]);
      const secret = await client.getPrompt({ name: 'secret' });
      expect(secret.messages[0]?.content).toMatchObject({ annotations: { audience: ['user'] } });
      const passed = await client.getPrompt({
        name: 'test_prompt_with_arguments',
        arguments: { arg1: 'a', arg2: 'b' },
      });
      expect(passed.messages[0]?.content).toMatchObject({
        text: "Prompt with arguments: arg1='a', arg2='b'",
      });
      await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow(/nothing/);
    });

    it('what is typed is completed, by commands and by plugins', async () => {
      const client = await connect(await testEndpoint({ specs: [fixture()], definitions: [town] }));
      const typed = await client.complete({
        ref: { type: 'ref/prompt', name: 'visit' },
        argument: { name: 'where', value: 'R' },
      });
      expect(typed.completion.values).toEqual(['Rome', 'Riga']);
      const passed = await client.complete({
        ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
        argument: { name: 'arg1', value: 'par' },
      });
      expect(passed.completion.values).toEqual(['paris', 'park', 'party']);
    });

    it('a client that cannot be asked is not, and the plugin hears why', async () => {
      const client = await connect(await testEndpoint({ specs: [fixture()] }));
      const result = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Hello' } });
      expect(result.isError).toBe(true);
      expect(textIn(result)).toContain('does not offer its model');
    });

    it('why a tool of a plugin failed is told once', async () => {
      const client = await connect(await testEndpoint({ specs: [fixture()] }));
      const { content, isError } = await client.callTool({ name: 'test_error_handling' });
      expect({ content, isError }).toEqual({
        content: [{ type: 'text', text: expect.stringContaining('error') as string }],
        isError: true,
      });
    });

    it('content of every kind comes through', async () => {
      const client = await connect(await testEndpoint({ specs: [fixture()] }));
      const { content } = await client.callTool({ name: 'test_multiple_content_types' });
      expect((content as { type: string }[]).map(({ type }) => type)).toEqual(['text', 'image', 'resource']);
    });

    it('what two plugins have alike is told apart', async () => {
      const client = await connect(await testEndpoint({ specs: [fixture('one'), fixture('two')] }));
      const { resources } = await client.listResources();
      const uris = resources.map(({ uri }) => uri).filter((uri) => uri.endsWith('test://static-text'));
      expect(uris).toEqual(['test://static-text', 'pluglot:plugin:two:test://static-text']);
      const read = await client.readResource({ uri: uris[1] ?? '' });
      expect(read.contents[0]).toMatchObject({ uri: uris[1] });
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toContain('two__test_simple_prompt');
      await client.getPrompt({ name: 'two__test_simple_prompt' });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('two__test_simple_text');
    });
  },
);

describe.each(ways)('over %s,', (_, connect) => {
  it('what a plugin asks goes to the client that made the call, and its answer back', async () => {
    const client = await connect(await testEndpoint({ specs: [fixture()] }), {
      capabilities: { sampling: {}, elicitation: { form: {} }, roots: {} },
    });
    client.setRequestHandler('elicitation/create', ({ params }) => {
      // A form of a plugin cannot look like a question of the host.
      expect(params.message).toBe('Plugin "fixture" asks: Who are\\x1b[2J you?');
      return { action: 'accept', content: { username: 'ann', email: 'ann@example.org' } };
    });
    client.setRequestHandler('sampling/createMessage', ({ params }) => ({
      role: 'assistant',
      model: 'a model',
      content: {
        type: 'text',
        text: `about ${JSON.stringify(params.messages[0]?.content).length} characters`,
      },
    }));
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }));
    const asked = await client.callTool({
      name: 'test_elicitation',
      arguments: { message: 'Who are\u001B[2J you?' },
    });
    expect(textIn(asked)).toBe(
      'User response: action=accept, content={"username":"ann","email":"ann@example.org"}',
    );
    const sampled = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Hello' } });
    expect(textIn(sampled)).toMatch(/^LLM response: about \d+ characters$/);
    expect(textIn(await client.callTool({ name: 'test_roots' }))).toContain('file:///work');
  });

  it('a call that the client gives up is given up by the plugin', async () => {
    const at = await testEndpoint({ specs: [fixture()] });
    const cancelled = new Promise<void>((resolve) => {
      at.plugin('fixture').onEvent((event) => {
        if (event.kind === 'logged' && event.entry.message.includes('cancelled')) resolve();
      });
    });
    const client = await connect(at);
    const controller = new AbortController();
    const begun = new Promise<void>((resolve) => {
      at.plugin('fixture').onEvent((event) => {
        if (event.kind === 'logged' && event.entry.message === 'waiting') resolve();
      });
    });
    const call = client.callTool({ name: 'test_wait' }, { signal: controller.signal });
    await begun;
    controller.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await expect(cancelled).resolves.toBeUndefined();
  });

  it('a client that goes away leaves nothing running', async () => {
    const at = await testEndpoint({ specs: [fixture()] });
    const client = await connect(at);
    const heard = (message: string) =>
      new Promise<void>((resolve) => {
        at.plugin('fixture').onEvent((event) => {
          if (event.kind === 'logged' && event.entry.message.includes(message)) resolve();
        });
      });
    const begun = heard('waiting');
    const cancelled = heard('cancelled');
    const call = client.callTool({ name: 'test_wait' });
    call.catch(() => {});
    await begun;
    await client.close();
    await expect(cancelled).resolves.toBeUndefined();
  });
});

it('news of a resource reach those who subscribed', async () => {
  const at = await testEndpoint({ specs: [fixture()] });
  const client = await connectClient(at.url);
  const other = await connectClient(at.url);
  const updated = new Promise<string>((resolve) => {
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri));
  });
  other.setNotificationHandler('notifications/resources/updated', () => {
    throw new Error('It did not subscribe.');
  });
  await client.subscribeResource({ uri: 'test://watched-resource' });
  expect(await updated).toBe('test://watched-resource');
  await client.unsubscribeResource({ uri: 'test://watched-resource' });
});
