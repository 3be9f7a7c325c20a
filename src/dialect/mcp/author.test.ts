// A server of ours on the wire, with a raw client: how it introduces itself, what it refuses, and how it ends.
import { describe, expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import { greetedServer, hello, ok, servedServer } from '../../../test/support/dialect/mcp/author-end.ts';
import { heldCalls } from '../../../test/support/definition/scripted-backend.ts';
import { PluglotError, type ErrorCode } from '../../base/error.ts';

describe('initialize', () => {
  // requirement: mcp:server:version-spoken, mcp:server:version-other
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2024-10-07', '2024-10-07'],
    ['2026-07-28', '2025-11-25'],
    ['1.0.0', '2025-11-25'],
  ])('a client of %s is answered in %s', async (protocolVersion, spoken) => {
    const { raw } = servedServer({});
    expect((await ask(raw, 1, 'initialize', { ...hello, protocolVersion })).result).toHaveProperty(
      'protocolVersion',
      spoken,
    );
  });

  // requirement: mcp:server:hello-fields, mcp:server:capabilities
  test('tells who it is and what it offers', async () => {
    const manifest = {
      name: 'notes',
      version: '2.1.0',
      description: 'Keeps notes.',
      instructions: 'Be brief.',
    };
    const { hello: plain } = await greetedServer({ manifest });
    expect(plain).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true }, logging: {} },
      serverInfo: { name: 'notes', version: '2.1.0', description: 'Keeps notes.' },
      instructions: 'Be brief.',
    });
    const commands = [{ name: 'today', parameters: [], shareWithModel: true }];
    const { hello: withPrompts } = await greetedServer({ manifest: { commands } });
    expect(withPrompts).toMatchObject({
      capabilities: { tools: {}, logging: {}, prompts: { listChanged: true }, completions: {} },
      serverInfo: { name: 'scripted', version: '1.0.0' },
    });
  });

  test('sets up with the config of the command line, and says when that fails', async () => {
    const { backend } = await greetedServer({}, { config: { key: 'k' } });
    expect(backend.setups).toEqual([{ key: 'k' }]);
    for (const code of ['START_FAILED', 'INVALID_ARGUMENTS'] satisfies ErrorCode[]) {
      const { raw } = servedServer({
        setup: () => {
          throw new PluglotError(code, 'No key.');
        },
      });
      expect((await ask(raw, 1, 'initialize', hello)).error).toEqual({ code: -32603, message: 'No key.' });
    }
  });

  test('goes well while a program is missing; calls say what is', async () => {
    let isThere = false;
    const { raw } = await greetedServer({
      scripts: { act: ok },
      setup: () => {
        if (!isThere) throw new PluglotError('REQUIREMENT_MISSING', 'git is not in PATH.');
      },
    });
    expect((await ask(raw, 1, 'tools/call', { name: 'act' })).result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'git is not in PATH.' }],
    });
    isThere = true;
    expect((await ask(raw, 2, 'tools/call', { name: 'act' })).result).toEqual({
      content: [{ type: 'text', text: 'done' }],
    });
  });

  test('a call before it sets up by itself, and a config that does not fit is no fault of the arguments', async () => {
    const { raw, backend } = servedServer({ scripts: { act: ok } }, { config: { n: 1 } });
    await ask(raw, 1, 'tools/call', { name: 'act' });
    expect(backend.setups).toEqual([{ n: 1 }]);
    const misfit = servedServer({
      scripts: { act: ok },
      setup: () => {
        throw new PluglotError('INVALID_ARGUMENTS', 'n is missing.');
      },
    });
    expect((await ask(misfit.raw, 1, 'tools/call', { name: 'act' })).result).toMatchObject({
      isError: true,
      _meta: { 'pluglot/failure': { code: 'NOT_INITIALIZED' } },
    });
  });
});

// requirement: mcp:server:ping
test('ping is answered at once, also while a tool runs and before the hello', async () => {
  const held = heldCalls();
  const { raw } = servedServer({ scripts: { wait: held.script } });
  expect((await ask(raw, 1, 'ping')).result).toEqual({});
  raw.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait' } });
  await held.next();
  expect((await ask(raw, 3, 'ping')).result).toEqual({});
});

// requirement: mcp:server:list-changed, mcp:server:quiet-until-ready
test('changes are told, once the client is ready and until it is gone', async () => {
  const commands = [{ name: 'today', parameters: [], shareWithModel: true }];
  const { raw, backend } = servedServer({});
  await ask(raw, 1, 'initialize', hello);
  backend.changeManifest({ tools: [{ name: 'early' }] });
  raw.notify('notifications/initialized');
  expect((await ask(raw, 2, 'ping')).notifications).toEqual([]);
  backend.changeManifest({ tools: [{ name: 'late' }] });
  expect(await raw.next()).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/tools/list_changed',
    params: {},
  });
  backend.changeManifest({ commands });
  expect(await raw.take(2)).toMatchObject([
    { method: 'notifications/tools/list_changed' },
    { method: 'notifications/prompts/list_changed' },
  ]);
  expect((await ask(raw, 3, 'tools/list')).result).toMatchObject({ tools: [{ name: 'late' }] });
});

describe('what is no request', () => {
  // requirement: mcp:server:invalid-request, mcp:server:unknown-method, mcp:server:null-id, mcp:server:malformed
  test.each([
    ['{', null, -32700],
    ['noise', null, -32700],
    ['{"id":1,"method":"ping"}', 1, -32600],
    ['{"jsonrpc":"2.0","id":1}', 1, -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"resources/list"}', 1, -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/destroy","params":{}}', 1, -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', 1, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', 1, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 1, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}', 1, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"act","arguments":[]}}', 1, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a"}}', 1, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":7}}', 1, -32602],
  ])('%s is answered, and work goes on', async (text, id, code) => {
    const { raw, backend } = await greetedServer({ scripts: { act: ok } });
    raw.sendText(text);
    expect(await raw.next()).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    expect(backend.requests).toEqual([]);
    expect((await ask(raw, 9, 'ping')).result).toEqual({});
  });

  test('notifications that nobody knows are passed over', async () => {
    const { raw } = await greetedServer({});
    raw.notify('notifications/roots/list_changed');
    raw.notify('notifications/cancelled', ['nonsense']);
    expect((await ask(raw, 1, 'ping')).notifications).toEqual([]);
  });
});

describe('the end', () => {
  // requirement: mcp:server:end
  test('of stdin: what runs is finished and answered first', async () => {
    const held = heldCalls();
    const { raw, server, backend } = await greetedServer({ scripts: { wait: held.script } });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } });
    raw.end();
    (await held.next()).end({ ok: true, text: 'in time' });
    await raw.inputEnded;
    expect(raw.received.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'in time' }] } });
    expect(await server.over).toEqual({ exitCode: 0 });
    expect(backend.tornDown()).toBe(1);
    backend.changeManifest({ tools: [] }); // nobody listens any more
  });

  test('of the client itself: what runs is given up', async () => {
    const held = heldCalls();
    const { raw, server, backend } = await greetedServer({ scripts: { wait: held.script } });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } });
    await held.next();
    raw.destroy();
    await server.over;
    expect(backend.cancelled).toHaveLength(1);
  });
});

test('a tool that has the name of a facet cannot be served', async () => {
  const { server, printed, backend } = servedServer({
    manifest: { tools: [{ name: 'extract' }] },
    extractor: {
      supports: () => Promise.reject(new Error()),
      extract: () => ({ cancel: () => 'free' as const }),
    },
  });
  server.log({ level: 'info', message: 'to nobody' });
  server.close();
  expect(await server.over).toEqual({ exitCode: 1 });
  expect(printed).toEqual([
    'Plugin "scripted" has a tool "extract", but in this dialect its extractor has that name. Rename the tool.',
  ]);
  expect(backend.tornDown()).toBe(1);
});
