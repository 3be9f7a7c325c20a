// node --expose-gc endpoint-under-load.mjs MARK SESSION_IDLE_MS, with an IPC channel: a host as a whole, with plugins of every dialect, its API and /mcp.
// Says where it is, and tells on request what it holds. The mark stands in the environment of every plugin.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRuntime, createTokens } from '../../dist/index.js';
import { createEndpoint } from '../../dist/surface/mcp/endpoint.js';
import { createHttpServer } from '../../dist/surface/http/server.js';

const [, , mark = 'PLUGLOT_LOAD=none', sessionIdleMs = '5000'] = process.argv;
const [markName = '', markValue = ''] = mark.split('=');
const token = 'a-token-for-the-load-that-is-long-enough';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-load-'));
const env = { PATH: process.env['PATH'], PLUGLOT_HOME: folder };

const traffic = { entries: 1000, characters: 1_000_000 };
const runtime = await createRuntime({ cwd: folder, home: folder, env, builtIns: false, traffic });
runtime.gate.policy.session.setDefault('allow');
const raw = /** @type {const} */ (['gassist', 'gevals', 'mcp', 'yams']);
for (const dialect of raw) add(`${dialect}-raw`, dialect, `../plugins/chaos/${dialect}.mjs`);
for (const dialect of /** @type {const} */ ([...raw, 'planner']))
  add(`${dialect}-sdk`, dialect, '../plugins/chaos/sdk.mjs');
const [failure] = await runtime.registry.exposeAll();
if (failure !== undefined) throw failure.error;

const tokens = createTokens([{ name: 'load', purpose: 'mcp', secret: token }]);
const endpoint = createEndpoint({ runtime, tokens, limits: { sessionIdleMs: Number(sessionIdleMs) } });
const server = await createHttpServer({
  api: runtime,
  tokens,
  mcp: (request, response) => void endpoint.handleHttp(request, response),
});

process.on('message', (/** @type {'look' | 'close'} */ wish) => {
  void (wish === 'look' ? look() : close()).then((answer) => process.send?.(answer));
});
// Whoever asked has gone.
process.on('disconnect', () => void close().finally(() => process.exit()));
const tools = (await runtime.tools()).map(({ name }) => name);
process.send?.({ url: server.url, token, tools });

async function look() {
  for (let pass = 0; pass < 3; pass++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { plugins } = await runtime.plugins();
  return {
    heapKiB: Math.round(process.memoryUsage().heapUsed / 1024),
    descriptors: fs.readdirSync('/proc/self/fd').length,
    sockets: process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
    sessions: endpoint.sessions,
    running: plugins.reduce((sum, { stats }) => sum + stats.running + stats.waiting, 0),
    restarts: plugins.reduce((sum, { restarts }) => sum + restarts, 0),
    states: Object.fromEntries(plugins.map(({ name, state }) => [name, state])),
  };
}

async function close() {
  await server.close();
  await endpoint.close();
  await runtime.close();
  fs.rmSync(folder, { recursive: true, force: true });
  return 'closed';
}

/**
 * @param {string} name
 * @param {import('../../dist/index.js').DialectName} dialect
 * @param {string} file
 */
function add(name, dialect, file) {
  const program = path.resolve(import.meta.dirname, file);
  const spec = /** @type {import('../../dist/index.js').PluginSpec} */ ({
    name,
    dialect,
    start: {
      kind: 'program',
      command: process.execPath,
      args: [program],
      env: { [markName]: markValue, PLUGLOT_DIALECT: dialect },
    },
    // A call that nobody waits for has to end long before its limit.
    limits: { callMs: 120_000, cancelMs: 500, shutdownMs: 500, termMs: 500 },
    // Blows are many more than any plugin would earn by itself.
    restart: { max: 1_000_000, firstDelayMs: 50, maxDelayMs: 500 },
  });
  runtime.registry.registerPlugin(runtime.fleet.add(spec));
}
