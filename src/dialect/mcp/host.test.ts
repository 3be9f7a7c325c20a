import { describe, expect, test } from 'vitest';
import { hostDialects } from '../hosts.ts';
import { PluglotError } from '../../base/error.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { hostAndRawEnd, callAndHear } from '../../../test/support/dialect/dialect-host.ts';
import {
  connected,
  expectMethod,
  expectRequest,
  helloResult,
} from '../../../test/support/dialect/mcp/raw-server.ts';
import { mcp } from './host.ts';

test('the list of dialects has it', async () => {
  expect(await hostDialects.mcp?.()).toBe(mcp);
});

describe('handshake', () => {
  // requirement: mcp:lifecycle:initialize-first, mcp:lifecycle:initialize-params, mcp:lifecycle:latest-version
  // requirement: mcp:lifecycle:initialized, mcp:lifecycle:nothing-before-answer, mcp:base:json-rpc
  test('initialize, initialized, tools/list, and each waits for the one before', async () => {
    const { raw, connected, told } = hostAndRawEnd(mcp, 'lines');
    const hello = await raw.nextRequest();
    expect(hello).toEqual({
      jsonrpc: '2.0',
      id: hello.id,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'pluglot', version: expect.stringMatching(/^\d+\.\d+\.\d+/) as unknown },
      },
    });
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect(raw.received).toHaveLength(1);
    raw.answer(hello.id, helloResult());
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const list = await expectRequest(raw, 'tools/list');
    raw.answer(list.id, { tools: [] });
    await connected;
    expect(told.troubles).toEqual([]);
    expect(told.wire.map(({ direction }) => direction)).toEqual([
      'sent',
      'received',
      'sent',
      'sent',
      'received',
    ]);
  });

  // requirement: mcp:lifecycle:initialize-result, mcp:tools:capability
  test('what the server tells of itself is the manifest', async () => {
    const { end } = await connected(mcp, {
      serverInfo: { name: 'dice', version: '2.0.0', title: 'Dice', description: 'Rolls dice.' },
      capabilities: { tools: {}, experimental: { x: { y: 1 } } },
      instructions: 'Roll only when asked.',
      tools: [],
    });
    expect(end.manifest).toEqual({
      name: 'dice',
      version: '2.0.0',
      description: 'Rolls dice.',
      dialect: 'mcp',
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, experimental: { x: { y: 1 } } },
      instructions: 'Roll only when asked.',
      tools: [],
      raw: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, experimental: { x: { y: 1 } } },
        serverInfo: { name: 'dice', version: '2.0.0', title: 'Dice', description: 'Rolls dice.' },
        instructions: 'Roll only when asked.',
      },
    });
  });

  // requirement: mcp:lifecycle:negotiated-capabilities
  test('a server without capabilities is asked for nothing', async () => {
    const { raw, end } = await connected(mcp, { capabilities: {} });
    expect(end.manifest.tools).toEqual([]);
    expect(end.resources).toBeUndefined();
    expect(end.prompts).toBeUndefined();
    const alive = end.ping?.(1000);
    const ping = await expectRequest(raw, 'ping');
    raw.answer(ping.id, {});
    await alive;
  });

  // requirement: mcp:lifecycle:older-version
  test.each(['2025-06-18', '2025-03-26', '2024-11-05'])('a server of %s is taken', async (version) => {
    const { end } = await connected(mcp, { protocolVersion: version });
    expect(end.manifest.protocolVersion).toBe(version);
  });

  // requirement: mcp:lifecycle:unknown-version
  test('a version that nobody speaks is refused, and the pipe closed', async () => {
    const { raw, connected } = hostAndRawEnd(mcp, 'lines');
    const hello = await raw.nextRequest();
    raw.answer(hello.id, helloResult({ protocolVersion: '1999-01-01' }));
    await expect(connected).rejects.toMatchObject({
      code: 'UNSUPPORTED_PROTOCOL',
      message:
        'Plugin "the-plugin" speaks MCP "1999-01-01"; this host speaks 2024-10-07, 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28. Use another version of the plugin, or update the host.',
    });
    await raw.inputEnded;
  });

  // requirement: mcp:lifecycle:version-error
  test('a server that refuses ours and names an older version is asked for that one', async () => {
    const { raw, connected } = hostAndRawEnd(mcp, 'lines');
    const hello = await raw.nextRequest();
    raw.send({ jsonrpc: '2.0', id: hello.id, error: versionError(['2024-11-05']) });
    const again = await raw.nextRequest();
    expect(again).toMatchObject({ method: 'initialize', params: { protocolVersion: '2024-11-05' } });
    raw.answer(again.id, helloResult({ protocolVersion: '2024-11-05', capabilities: {} }));
    expect((await connected).manifest.protocolVersion).toBe('2024-11-05');
  });

  // requirement: mcp:lifecycle:version-error
  test('a server that names only versions that nobody speaks', async () => {
    const { raw, connected } = hostAndRawEnd(mcp, 'lines');
    const hello = await raw.nextRequest();
    raw.send({ jsonrpc: '2.0', id: hello.id, error: versionError(['3000-01-01']) });
    await expect(connected).rejects.toMatchObject({
      code: 'UNSUPPORTED_PROTOCOL',
      message: expect.stringContaining('speaks MCP 3000-01-01') as unknown,
    });
  });

  describe('where the process can be started again, server/discover goes first', () => {
    const work = { canStartAgain: true };

    test('a server that answers a ping instead gets initialize, and is used in a session', async () => {
      const clock = fakeClock();
      const { raw, connected } = hostAndRawEnd(mcp, 'lines', { clock, work });
      await expectRequest(raw, 'server/discover');
      clock.advance(999);
      expect(raw.received).toHaveLength(1);
      clock.advance(1);
      const ping = await expectRequest(raw, 'ping');
      raw.answer(ping.id, {});
      const hello = await expectRequest(raw, 'initialize');
      raw.answer(hello.id, helloResult({ capabilities: {} }));
      expect((await connected).manifest.protocolVersion).toBe('2025-11-25');
    });

    test('a server that answers neither gets initialize after five seconds', async () => {
      const clock = fakeClock();
      const { raw, connected } = hostAndRawEnd(mcp, 'lines', { clock, work });
      const probe = await expectRequest(raw, 'server/discover');
      clock.advance(1000);
      await expectRequest(raw, 'ping');
      clock.advance(4000);
      const hello = await expectRequest(raw, 'initialize');
      raw.answer(hello.id, helloResult({ capabilities: {} }));
      // An answer that comes now changes nothing.
      raw.answer(probe.id, discovered);
      expect((await connected).manifest.protocolVersion).toBe('2025-11-25');
    });

    test('a slow server of the newer era is used without a session, whatever it answers to the ping', async () => {
      const clock = fakeClock();
      const { raw, connected } = hostAndRawEnd(mcp, 'lines', { clock, work });
      const probe = await expectRequest(raw, 'server/discover');
      clock.advance(1000);
      const ping = await expectRequest(raw, 'ping');
      raw.send({ jsonrpc: '2.0', id: ping.id, error: { code: -32601, message: 'Method not found' } });
      raw.answer(probe.id, discovered);
      expect((await connected).manifest.protocolVersion).toBe('2026-07-28');
      // Neither initialize nor what follows it.
      expect(raw.received).toHaveLength(2);
    });

    const discovered = { supportedVersions: ['2026-07-28'], capabilities: {}, resultType: 'complete' };
  });

  // requirement: mcp:lifecycle:initialize-error
  test('a server that refuses to start up', async () => {
    const { raw, connected } = hostAndRawEnd(mcp, 'lines');
    const hello = await raw.nextRequest();
    raw.send({ jsonrpc: '2.0', id: hello.id, error: { code: -32603, message: 'API_KEY is not set' } });
    await expect(connected).rejects.toMatchObject({
      code: 'START_FAILED',
      message: 'Plugin "the-plugin" answered initialize with error -32603: API_KEY is not set.',
    });
  });

  test.each([-32603, -32601])('a server that has tools and refuses to list them with %d', async (code) => {
    const { raw, connected } = hostAndRawEnd(mcp, 'lines');
    raw.answer((await raw.nextRequest()).id, helloResult());
    await expectMethod(raw, 'notifications/initialized');
    const { id } = await expectRequest(raw, 'tools/list');
    raw.send({ jsonrpc: '2.0', id, error: { code, message: 'not today' } });
    await expect(connected).rejects.toMatchObject({
      code: 'START_FAILED',
      message: `Plugin "the-plugin" answered tools/list with error ${code}: not today.`,
    });
    await raw.inputEnded;
  });

  test('a server whose introduction is none', async () => {
    const { raw, connected } = hostAndRawEnd(mcp, 'lines');
    const hello = await raw.nextRequest();
    raw.answer(hello.id, { protocolVersion: '2025-11-25' });
    await expect(connected).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
  });

  test('a server whose tools are none', async () => {
    const { raw, connected } = hostAndRawEnd(mcp, 'lines');
    raw.answer((await raw.nextRequest()).id, helloResult());
    await expectMethod(raw, 'notifications/initialized');
    const list = await expectRequest(raw, 'tools/list');
    raw.answer(list.id, { tools: 17 });
    await expect(connected).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      message: 'Plugin "the-plugin" answered tools/list with {"tools":17}; expected { tools: [ … ] }.',
    });
  });

  // requirement: mcp:cancellation:not-initialize
  test('a start that is given up while initialize is not answered', async () => {
    const controller = new AbortController();
    const { raw, connected } = hostAndRawEnd(mcp, 'lines', { signal: controller.signal });
    await raw.nextRequest();
    const late = new PluglotError('START_TIMEOUT', 'too late');
    controller.abort(late);
    await expect(connected).rejects.toBe(late);
    await raw.inputEnded;
    expect(raw.received).toHaveLength(1);
  });

  test('a start that is given up while tools/list is not answered', async () => {
    const controller = new AbortController();
    const { raw, connected } = hostAndRawEnd(mcp, 'lines', { signal: controller.signal });
    raw.answer((await raw.nextRequest()).id, helloResult());
    await expectMethod(raw, 'notifications/initialized');
    await expectRequest(raw, 'tools/list');
    controller.abort(new PluglotError('START_TIMEOUT', 'too late'));
    await expect(connected).rejects.toMatchObject({ code: 'START_TIMEOUT' });
    await raw.inputEnded;
  });

  test('a start that was given up before it began', async () => {
    const signal = AbortSignal.abort(new PluglotError('PLUGIN_STOPPED', 'stopped'));
    const { raw, connected } = hostAndRawEnd(mcp, 'lines', { signal });
    await expect(connected).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
    expect(raw.received).toEqual([]);
  });

  test('a server that ends before it has introduced itself', async () => {
    const { raw, connected } = hostAndRawEnd(mcp, 'lines');
    await raw.nextRequest();
    raw.end();
    await expect(connected).rejects.toMatchObject({
      code: 'PIPE_ENDED',
      message: 'The pipe to plugin "the-plugin" is over: the other end closed it.',
    });
  });
});

describe('a server that knows only 2026-07-28', () => {
  // requirement: mcp:versions:fall-forward, mcp:versions:meta
  test('is spoken to without initialize', async () => {
    const { end, raw } = await modern();
    expect(end.manifest).toMatchObject({
      name: 'modern',
      version: '3.0.0',
      protocolVersion: '2026-07-28',
      tools: [{ name: 'a' }],
    });
    const call = callAndHear(end, { tool: 'a' });
    const request = await expectRequest(raw, 'tools/call');
    expect(request.params).toMatchObject({
      name: 'a',
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
    });
    raw.answer(request.id, { resultType: 'complete', content: [{ type: 'text', text: 'A' }] });
    expect(await call.answer).toEqual({ ok: true, text: 'A' });
  });

  test('gets server/discover for a ping', async () => {
    const { end, raw } = await modern();
    const alive = end.ping?.(1000);
    const ping = await expectRequest(raw, 'server/discover');
    raw.answer(ping.id, discovery);
    await expect(alive).resolves.toBeUndefined();
  });

  // requirement: mcp:versions:no-server-requests
  test('and that asks for input in the middle of a call is told that there is none', async () => {
    const { end, raw } = await modern();
    const call = callAndHear(end, { tool: 'a' });
    const request = await expectRequest(raw, 'tools/call');
    raw.answer(request.id, { resultType: 'input_required', inputRequests: {}, requestState: 'x' });
    expect(await call.answer).toMatchObject({ ok: false, error: { code: 'UNSUPPORTED' } });
  });

  test('tells of other tools to whoever listens', async () => {
    const { end, raw, told } = await modern({ tools: { listChanged: true } });
    expect(end.manifest.tools).toHaveLength(1);
    const listen = await expectRequest(raw, 'subscriptions/listen');
    const _meta = { 'io.modelcontextprotocol/subscriptionId': listen.id };
    raw.notify('notifications/subscriptions/acknowledged', {
      _meta,
      notifications: { toolsListChanged: true },
    });
    raw.notify('notifications/tools/list_changed', { _meta });
    const list = await expectRequest(raw, 'tools/list');
    raw.answer(list.id, { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [] });
    await expect.poll(() => told.toolLists).toEqual([[]]);
  });
});

describe('the end', () => {
  // requirement: mcp:lifecycle:server-may-leave
  test('calls under way fail when the server ends, and those after it', async () => {
    const { raw, end } = await connected(mcp);
    const calls = [callAndHear(end, { tool: 'echo' }), callAndHear(end, { tool: 'echo' })];
    await raw.take(2);
    raw.end();
    for (const { answer } of calls) {
      expect(await answer).toEqual({
        ok: false,
        error: {
          code: 'PIPE_ENDED',
          message: 'The pipe to plugin "the-plugin" is over: the other end closed it.',
        },
      });
    }
    expect(await end.ended).toEqual({ kind: 'ended' });
    expect(await callAndHear(end, { tool: 'echo' }).answer).toMatchObject({ error: { code: 'PIPE_ENDED' } });
    await expect(end.ping?.(1000)).rejects.toMatchObject({ code: 'PIPE_ENDED' });
  });

  test('close fails what is under way', async () => {
    const { raw, end } = await connected(mcp);
    const call = callAndHear(end, { tool: 'echo' });
    await raw.next();
    end.close();
    end.close();
    expect(await call.answer).toMatchObject({ error: { code: 'PEER_CLOSED' } });
    expect(await end.ended).toEqual({ kind: 'closed' });
    await raw.inputEnded;
  });

  test('there is no goodbye but the end of stdin', async () => {
    const { raw, end } = await connected(mcp);
    const before = raw.received.length;
    await end.shutdown(1000);
    end.close();
    await raw.inputEnded;
    expect(raw.received).toHaveLength(before);
  });
});

const discovery = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '3.0.0' } },
};

async function modern(capabilities: object = { tools: {} }) {
  const { raw, connected, told } = hostAndRawEnd(mcp, 'lines');
  const hello = await raw.nextRequest();
  raw.send({
    jsonrpc: '2.0',
    id: hello.id,
    error: { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'] } },
  });
  const discover = await expectRequest(raw, 'server/discover');
  raw.answer(discover.id, { ...discovery, capabilities });
  const list = await expectRequest(raw, 'tools/list');
  raw.answer(list.id, {
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    tools: [{ name: 'a', inputSchema: { type: 'object' } }],
  });
  return { raw, told, end: await connected };
}

function versionError(supported: readonly string[]): object {
  return {
    code: -32602,
    message: 'Unsupported protocol version',
    data: { supported, requested: '2025-11-25' },
  };
}
