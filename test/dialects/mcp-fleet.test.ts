// MCP servers under the whole fleet: they come back after a crash, also those that are reached over HTTP.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { PluginSpec } from '../../src/definition/plugin-spec.ts';
import { mcpHttpServer } from '../support/dialect/mcp/raw-http-server.ts';
import { fleetOf } from '../support/fleet/program-fleet.ts';
import { root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a server that crashes in a call fails it with its last words, and takes the next one', async () => {
  const plugin = fleetOf(program('crashes-in-a-call.mjs'));
  for (const restarts of [0, 1]) {
    expect(await plugin.call('echo')).toMatchObject({
      ok: false,
      error: { code: 'PLUGIN_EXITED', stderr: 'segmentation fault, so to speak\n' },
    });
    expect(plugin.status.restarts).toBeGreaterThanOrEqual(restarts);
  }
});

test('a call that is over its time is told to the server, which goes on', async () => {
  const plugin = fleetOf(program('reports-progress-for-ever.mjs'));
  await plugin.start();
  expect(await plugin.call('echo', {}, { timeoutMs: 300 })).toMatchObject({
    ok: false,
    error: { code: 'CALL_TIMEOUT' },
  });
  expect(plugin.status).toMatchObject({ state: 'ready', restarts: 0, running: 0 });
});

test('a frozen server is found by its pings and replaced', async () => {
  const plugin = fleetOf({
    ...program('never-answers-ping.mjs'),
    limits: { pingEveryMs: 20, pingMs: 20 },
  });
  await plugin.start();
  const [pid] = plugin.status.pids;
  await expect.poll(() => plugin.status.restarts).toBeGreaterThan(0);
  await expect.poll(() => plugin.status.pids).not.toContain(pid);
});

// requirement: mcp:versions:newest
test('a server of both eras is spoken to in the newer one, one of the older in its own', async () => {
  const both = fleetOf(program('on-the-official-sdk.mjs'));
  await both.start();
  expect(both.manifest?.protocolVersion).toBe('2026-07-28');
  expect(await both.call('shout')).toMatchObject({ ok: true, text: 'HELLO' });
  const older = fleetOf(program('well-behaved.mjs'));
  await older.start();
  expect(older.manifest?.protocolVersion).toBe('2025-11-25');
});

test('a server that exits at anything before initialize is started again and initialized', async () => {
  const plugin = fleetOf(program('exits-at-anything-before-initialize.mjs'));
  await plugin.start();
  expect(plugin.manifest?.name).toBe('strict');
  expect(plugin.status).toMatchObject({ state: 'ready', restarts: 0 });
});

test('a server that exits at server/discover is launched once for each later start', async () => {
  const launches = path.join(temporaryFolder(), 'launches');
  const server = path.join(root, 'test/plugins/mcp/exits-at-anything-before-initialize.mjs');
  const plugin = fleetOf(shell(`echo >> ${launches}; exec ${process.execPath} ${server}`));
  await plugin.start();
  expect(linesIn(launches)).toBe(2);
  await plugin.restart();
  expect(plugin.manifest?.name).toBe('strict');
  expect(linesIn(launches)).toBe(3);
});

test.each([
  ['crashes', 'exit 1', 4],
  ['is killed', 'kill -9 $$', 3],
  ['cannot be run', 'exec /no/such/program', 3],
])('a server that %s at its start is launched once for each restart', async (_, script, expected) => {
  const launches = path.join(temporaryFolder(), 'launches');
  const plugin = fleetOf({
    ...shell(`echo >> ${launches}; ${script}`),
    restart: { firstDelayMs: 1, max: 2 },
  });
  await expect(plugin.start()).rejects.toMatchObject({ code: 'PLUGIN_EXITED' });
  await expect.poll(() => plugin.status.state).toBe('failed');
  // The first start of one that may have ended because of server/discover is repeated without it.
  expect(linesIn(launches)).toBe(expected);
});

test('tools that change are those of the plugin', async () => {
  const plugin = fleetOf(program('well-behaved.mjs'));
  expect(await plugin.call('grow')).toMatchObject({ ok: true });
  await expect.poll(() => plugin.tools().map(({ name }) => name)).toContain('grown-6');
});

// requirement: mcp:http:session-lost
test('a server over HTTP that has forgotten the session gets a new one', async () => {
  const forgotten = new Set<unknown>();
  let sessions = 0;
  const server = await mcpHttpServer(({ message, headers }, reply) => {
    if (forgotten.has(headers['mcp-session-id'])) reply.status(404);
    else if (message?.method !== 'initialize') return false;
    else {
      sessions += 1;
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'forgetful', version: '1' },
      };
      reply.json({ jsonrpc: '2.0', id: message.id, result }, { 'mcp-session-id': `session-${sessions}` });
    }
    return true;
  });
  const plugin = fleetOf({
    name: 'remote',
    dialect: 'mcp',
    start: { kind: 'http', url: server.url },
    restart: { firstDelayMs: 10 },
  });
  expect(await plugin.call('echo', { a: 1 })).toMatchObject({ ok: true, text: '{"a":1}' });
  forgotten.add('session-1');
  expect(await plugin.call('echo')).toMatchObject({ ok: false, error: { code: 'PLUGIN_EXITED' } });
  expect(await plugin.call('echo', { a: 2 })).toMatchObject({ ok: true, text: '{"a":2}' });
  expect(sessions).toBe(2);
  await plugin.stop();
  expect(server.seen.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 'session-2' } });
});

function program(file: string): PluginSpec {
  return {
    name: 'server',
    dialect: 'mcp',
    start: { kind: 'program', command: path.join(root, 'test/plugins/mcp', file) },
    restart: { firstDelayMs: 10 },
  };
}

function shell(script: string): PluginSpec {
  return {
    name: 'server',
    dialect: 'mcp',
    start: { kind: 'program', command: '/bin/sh', args: ['-c', script] },
    restart: { firstDelayMs: 10 },
  };
}

function linesIn(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length - 1;
}
