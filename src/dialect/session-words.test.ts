// How a session looks on the wires of dialects that have no words for one: hosts of others are told in text how to go on, ours by a sign beside it.
import { describe, expect, test } from 'vitest';
import { ask, servedToRawHost } from '../../test/support/dialect/author-end.ts';
import { hello } from '../../test/support/dialect/mcp/author-end.ts';
import { scriptedBackend, type BackendScript } from '../../test/support/definition/scripted-backend.ts';
import type { JsonObject } from '../base/json.ts';
import { mcpAuthor } from './mcp/author.ts';
import { plannerAuthor } from './planner/author.ts';
import { yamsAuthor } from './yams/author.ts';

const hint =
  '(This waits for what the user says next. To go on, call "say" with it; any other call ends the session.)';

const script: BackendScript = {
  scripts: {
    chat: (_, sink) => sink.end({ ok: true, text: 'Who?', data: { n: 1 }, keepSession: true }),
    wrong: (_, sink) =>
      sink.end({ ok: false, error: { code: 'TOOL_FAILED', message: 'No.' }, keepSession: true }),
  },
  talk: {
    input: (content, sink) => {
      sink.end({ ok: true, text: `${content}!` });
      return { cancel: () => 'free' as const };
    },
  },
};

describe('mcp', () => {
  async function opened() {
    const { raw } = servedToRawHost(mcpAuthor, 'lines', scriptedBackend(script));
    await ask(raw, 0, 'initialize', hello);
    let id = 0;
    return async (method: string, params: JsonObject = {}) =>
      (await ask(raw, (id += 1), method, params)).result;
  }

  test('a part of its own, marked, and a mark in the result', async () => {
    const asked = await opened();
    const tools = (await asked('tools/list'))?.['tools'] as JsonObject[];
    expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
      ['chat', undefined],
      ['wrong', undefined],
      ['say', { 'pluglot/facet': 'talk' }],
    ]);
    const part = {
      type: 'text',
      text: hint,
      annotations: { audience: ['assistant'] },
      _meta: { 'pluglot/howToGoOn': true },
    };
    expect(await asked('tools/call', { name: 'chat' })).toEqual({
      content: [{ type: 'text', text: 'Who?' }, part],
      structuredContent: { n: 1 },
      _meta: { 'pluglot/keepSession': true },
    });
    expect(await asked('tools/call', { name: 'say', arguments: { content: 'Ada' } })).toEqual({
      content: [{ type: 'text', text: 'Ada!' }],
    });
    expect(await asked('tools/call', { name: 'wrong' })).toMatchObject({
      isError: true,
      content: [{ text: 'No.' }, part],
      _meta: { 'pluglot/keepSession': true, 'pluglot/failure': { code: 'TOOL_FAILED' } },
    });
  });

  test('who talks to nobody is told so', async () => {
    const asked = await opened();
    expect(await asked('tools/call', { name: 'say', arguments: { content: 'hello?' } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('No tool waits') as string }],
      _meta: { 'pluglot/failure': { code: 'NOT_TALKING' } },
    });
  });
});

describe('yams', () => {
  async function opened() {
    const { raw } = servedToRawHost(yamsAuthor, 'lines', scriptedBackend(script));
    const { result } = await ask(raw, 0, 'handshake.manifest');
    await ask(raw, -1, 'plugin.init', { config: {} });
    let id = 0;
    return {
      manifest: result,
      asked: (method: string, params: JsonObject = {}) => ask(raw, (id += 1), method, params),
    };
  }

  test('members of the result beside its text', async () => {
    const { manifest, asked } = await opened();
    expect(manifest).toMatchObject({
      capabilities: { tools: [{ name: 'chat' }, { name: 'wrong' }, { name: 'say', facet: 'talk' }] },
    });
    expect((await asked('chat')).result).toEqual({
      text: 'Who?',
      data: { n: 1 },
      keep_session: true,
      next: hint,
    });
    expect((await asked('say', { content: 'Ada' })).result).toBe('Ada!');
    expect((await asked('wrong')).error).toMatchObject({ code: -32000, data: { keep_session: true } });
  });

  test('who talks to nobody is told so', async () => {
    const { asked } = await opened();
    expect((await asked('say', { content: 'hello?' })).error).toMatchObject({
      code: -32000,
      message: expect.stringContaining('No tool waits') as string,
      data: { reason: 'NotTalking' },
    });
  });
});

describe('planner', () => {
  function opened() {
    const { raw } = servedToRawHost(plannerAuthor, 'lines', scriptedBackend(script));
    let id = 0;
    return (method: string, params: JsonObject = {}) => ask(raw, (id += 1), method, params);
  }

  test('the explanation, and the metadata', async () => {
    const asked = opened();
    expect((await asked('rpc.discover')).result).toMatchObject({
      methods: ['execute_task', 'update_context', 'chat', 'wrong', 'say'],
      tools: [{ name: 'chat' }, { name: 'wrong' }, { name: 'say', facet: 'talk' }],
    });
    const kept = {
      status: 'success',
      output: { code: 'Who?', explanation: `The answer of the tool "chat". ${hint}`, data: { n: 1 } },
      metadata: { keep_session: true },
    };
    expect((await asked('chat')).result).toMatchObject(kept);
    const said = (await asked('say', { content: 'Ada' })).result;
    expect(said).toMatchObject({ output: { code: 'Ada!' } });
    expect(said?.['metadata']).not.toHaveProperty('keep_session');
    expect((await asked('wrong')).error).toMatchObject({ data: { keep_session: true } });
  });

  test('tasks keep it as well, and what is said may be one', async () => {
    const asked = opened();
    const task = (options: JsonObject, prompt = 'x') =>
      asked('execute_task', { task_type: 'analysis', prompt, options });
    expect((await task({ tool: 'chat' })).result).toMatchObject({ metadata: { keep_session: true } });
    expect((await task({ tool: 'say', arguments: { content: 'Ada' } })).result).toMatchObject({
      output: { code: 'Ada!' },
    });
    await task({ tool: 'chat' });
    expect((await task({ tool: 'say' }, 'Bob')).result).toMatchObject({ output: { code: 'Bob!' } });
    // It is none of the tools that a task could be meant for.
    expect((await task({})).error).toMatchObject({ data: { details: { tools: ['chat', 'wrong'] } } });
  });

  test('who talks to nobody is told so', async () => {
    const asked = opened();
    expect((await asked('say', { content: 'hello?' })).error).toMatchObject({
      code: -32000,
      message: expect.stringContaining('No tool waits') as string,
      data: { code: 'NOT_TALKING' },
    });
  });
});
