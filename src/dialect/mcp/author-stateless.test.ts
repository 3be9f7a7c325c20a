// A server of ours under clients of revision 2026-07-28, which bring their version with every request.
import { describe, expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import { ok, servedServer } from '../../../test/support/dialect/mcp/author-end.ts';
import type { Script } from '../../../test/support/definition/scripted-backend.ts';
import type { JsonObject } from '../../base/json.ts';

const key = (name: string) => `io.modelcontextprotocol/${name}`;
const serverInfo = { [key('serverInfo')]: { name: 'scripted', version: '1.0.0' } };

describe('requests', () => {
  // requirement: mcp:server:stateless-discover, mcp:server:stateless-results
  test('server/discover tells what can be asked', async () => {
    const { raw, backend } = servedServer({ manifest: { instructions: 'Be brief.' } });
    expect((await ask(raw, 1, 'server/discover', enveloped())).result).toEqual({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true }, logging: {} },
      instructions: 'Be brief.',
      ttlMs: 0,
      cacheScope: 'private',
      resultType: 'complete',
      _meta: serverInfo,
    });
    expect(backend.setups).toEqual([{}]);
  });

  test('are answered as in other revisions, and more is said of the result', async () => {
    const { raw } = servedServer({ scripts: { act: ok } });
    expect((await ask(raw, 1, 'tools/list', enveloped())).result).toEqual({
      tools: [{ name: 'act', inputSchema: { type: 'object' } }],
      ttlMs: 0,
      cacheScope: 'private',
      resultType: 'complete',
      _meta: serverInfo,
    });
    expect((await ask(raw, 2, 'tools/call', enveloped({ name: 'act' }))).result).toEqual({
      content: [{ type: 'text', text: 'done' }],
      resultType: 'complete',
      _meta: serverInfo,
    });
    const { error } = await ask(raw, 3, 'tools/call', enveloped({ name: 'nope' }));
    expect(error).toEqual({ code: -32602, message: 'Unknown tool: nope' });
  });

  test('a failure keeps what it says in its _meta', async () => {
    const lose: Script = (_, sink) => sink.end({ ok: false, error: { code: 'UNAVAILABLE', message: 'No.' } });
    const { raw } = servedServer({ scripts: { lose } });
    expect((await ask(raw, 1, 'tools/call', enveloped({ name: 'lose' }))).result).toMatchObject({
      isError: true,
      _meta: { ...serverInfo, 'pluglot/failure': { code: 'UNAVAILABLE' } },
    });
  });

  // requirement: mcp:server:stateless-envelope
  test.each([
    [
      { [key('protocolVersion')]: '2099-01-01', [key('clientCapabilities')]: {} },
      { code: -32022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } },
    ],
    [{ [key('protocolVersion')]: '2026-07-28' }, { code: -32602 }],
    [{ [key('protocolVersion')]: '2026-07-28', [key('clientCapabilities')]: [] }, { code: -32602 }],
  ])('%j is refused', async (_meta, error) => {
    const { raw } = servedServer({});
    expect((await ask(raw, 1, 'tools/list', { _meta })).error).toMatchObject(error);
  });

  // requirement: mcp:server:stateless-removed
  test.each(['initialize', 'ping', 'logging/setLevel'])('%s is no method of it', async (method) => {
    const { raw } = servedServer({});
    expect((await ask(raw, 1, method, enveloped())).error).toMatchObject({ code: -32601 });
  });

  test.each(['server/discover', 'subscriptions/listen'])('%s is none of the earlier ones', async (method) => {
    const { raw } = servedServer({});
    expect((await ask(raw, 1, method, {})).error).toMatchObject({ code: -32601 });
  });
});

// requirement: mcp:server:stateless-logs
test.each([
  [undefined, []],
  ['loud', []],
  ['info', ['info', 'error']],
  ['error', ['error']],
])('with the level %s the logs %j are sent', async (logLevel, expected) => {
  const chatty: Script = (_, sink) => {
    for (const level of ['debug', 'info', 'error'] as const)
      sink.event({ kind: 'log', level, message: level });
    sink.end({ ok: true });
  };
  const { raw, server, printed } = servedServer({ scripts: { chatty } });
  const meta = logLevel === undefined ? {} : { [key('logLevel')]: logLevel };
  const { notifications } = await ask(raw, 1, 'tools/call', enveloped({ name: 'chatty' }, meta));
  expect(notifications.map((message) => (message as { params: { data: unknown } }).params.data)).toEqual(
    expected,
  );
  server.log({ level: 'warn', message: 'of no request' });
  expect((await ask(raw, 2, 'tools/list', enveloped())).notifications).toEqual([]);
  expect(printed).toEqual(['warn: of no request']);
});

describe('subscriptions', () => {
  // requirement: mcp:server:stateless-changes
  test('tell of what was asked for, until they are cancelled', async () => {
    const { raw, backend } = servedServer({});
    const params = enveloped({ notifications: { toolsListChanged: true, resourcesListChanged: true } });
    raw.send({ jsonrpc: '2.0', id: 'l1', method: 'subscriptions/listen', params });
    const mark = { _meta: { [key('subscriptionId')]: 'l1' } };
    expect(await raw.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, ...mark },
    });
    backend.changeManifest({ tools: [{ name: 'new' }] });
    expect(await raw.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: mark,
    });
    raw.notify('notifications/cancelled', { requestId: 'l1' });
    await ask(raw, 2, 'tools/list', enveloped());
    backend.changeManifest({ tools: [] });
    expect((await ask(raw, 3, 'tools/list', enveloped())).notifications).toEqual([]);
  });

  test.each(['the client closes its side', 'the server is closed'])('are answered when %s', async (how) => {
    const { raw, server } = servedServer({});
    const params = enveloped({ notifications: {} });
    raw.send({ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params });
    await raw.next();
    if (how === 'the server is closed') server.close();
    else raw.end();
    expect(await raw.next()).toMatchObject({
      id: 7,
      result: { resultType: 'complete', _meta: { [key('subscriptionId')]: 7 } },
    });
    expect(await server.over).toEqual({ exitCode: 0 });
  });
});

function enveloped(params: JsonObject = {}, meta: JsonObject = {}): JsonObject {
  return {
    ...params,
    _meta: { [key('protocolVersion')]: '2026-07-28', [key('clientCapabilities')]: {}, ...meta },
  };
}
