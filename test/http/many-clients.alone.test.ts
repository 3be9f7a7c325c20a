// Many clients of the HTTP API at once, while a plugin is killed again and again: every call ends, and nothing is left.
import { expect, test } from 'vitest';
import { connected, testServer, TOKEN } from '../support/test-runtime.ts';

const CLIENTS = 40;
const CALLS = 25;

test(`${CLIENTS} clients with ${CALLS} calls each, on a plugin that dies now and then`, async () => {
  const { server, api } = await testServer(
    {},
    {
      files: {
        'home/pluglot/pluglot.json': {
          plugins: { talker: { ...talker, restart: { max: 1000, firstDelayMs: 5, maxDelayMs: 20 } } },
        },
      },
    },
  );
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connected(server.url, TOKEN)));
  const pids = new Set<number>();
  let isOver = false;
  const killing = (async () => {
    while (!isOver) {
      const { pids: now } = await api.plugin('talker');
      for (const pid of now) {
        pids.add(pid);
        kill(pid);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const outcomes = await Promise.all(
    clients.flatMap((client, index) =>
      Array.from({ length: CALLS }, (_, turn) =>
        turn % 2 === 0
          ? client.call('talker__echo', { value: `${index}.${turn}` })
          : client.call('greet', { name: `${index}.${turn}` }),
      ),
    ),
  );
  isOver = true;
  await killing;
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
