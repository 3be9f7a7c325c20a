// Many clients of the HTTP API at once, while a plugin is killed again and again: every call ends, and nothing is left.
import { expect, test } from 'vitest';
import type { RuntimeApi } from '../../src/runtime/api.ts';
import { connected, testServer, TOKEN } from '../support/surface/test-runtime.ts';

const CLIENTS = 40;
const CALLS = 25;

test(`${CLIENTS} clients with ${CALLS} calls each, on a plugin that dies now and then`, async () => {
  const { server, api } = await testServer(
    {},
    {
      files: {
        'home/pluglot/permissions.json': { defaultPolicy: 'allow' },
        'home/pluglot/pluglot.json': {
          plugins: { talker: { ...talker, restart: { max: 1000, firstDelayMs: 5, maxDelayMs: 20 } } },
        },
      },
    },
  );
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connected(server.url, TOKEN)));
  const pids = new Set<number>();
  let answered = 0;
  /** The plugin is killed after every 20 of its answers, so that every process of it gets to answer some. */
  const echo = async (client: RuntimeApi, value: string) => {
    const outcome = await client.call('talker__echo', { value });
    answered += 1;
    if (answered % 20 === 0)
      for (const pid of (await api.plugin('talker')).pids) {
        pids.add(pid);
        kill(pid);
      }
    return outcome;
  };
  const outcomes = await Promise.all(
    clients.flatMap((client, index) =>
      Array.from({ length: CALLS }, (_, turn) =>
        turn % 2 === 0
          ? echo(client, `${index}.${turn}`)
          : client.call('greet', { name: `${index}.${turn}` }),
      ),
    ),
  );
  expect(outcomes).toHaveLength(CLIENTS * CALLS);
  const codes = new Map<string, number>();
  for (const outcome of outcomes) {
    const word = outcome.ok ? 'ok' : outcome.error.code;
    codes.set(word, (codes.get(word) ?? 0) + 1);
  }
  // Those of the plugin in this process are not touched by it.
  expect(codes.get('ok')).toBeGreaterThanOrEqual(CLIENTS * Math.floor(CALLS / 2));
  for (const code of codes.keys())
    expect(['ok', 'PLUGIN_EXITED', 'CALL_TIMEOUT', 'TOO_MANY_CALLS']).toContain(code);
  expect(pids.size).toBeGreaterThan(1);
  expect((await api.plugin('greeter')).stats.running).toBe(0);
  await Promise.all(clients.map((client) => client.close()));
  const metrics = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(await metrics.text()).toMatch(/^pluglot_http_calls 0\npluglot|^pluglot_http_calls 0$/m);
});

const talker = {
  command: process.execPath,
  args: [new URL('../plugins/gassist/well-behaved.mjs', import.meta.url).pathname],
  dialect: 'gassist',
};

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was quicker.
  }
}
