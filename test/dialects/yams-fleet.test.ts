// YAMS plugins under the whole fleet: limits, turns, crashes and signs of life.
import path from 'node:path';
import { expect, test } from 'vitest';
import type { PluginLimits } from '../../src/definition/plugin-spec.ts';
import type { Plugin } from '../../src/fleet/plugin/plugin.ts';
import { fleetOf, sentOf } from '../support/fleet/program-fleet.ts';
import { root } from '../support/project.ts';

const source = { source: { type: 'path', path: '/tmp/any' } };

// requirement: yams:process:timeout, yams:process:timeout-configurable, yams:host:timeouts, yams:host:call-timeout
test('an extraction over its limit fails; when it does not end either, the process does', async () => {
  const plugin = start('hangs-at-extract.mjs', { callMs: 500, cancelMs: 100 });
  await plugin.start();
  const { pids } = plugin.status;
  expect(await plugin.call('extractor.extract', source)).toMatchObject({
    ok: false,
    error: { code: 'CALL_TIMEOUT', message: expect.stringContaining('within 500 ms') as string },
  });
  await expect.poll(() => plugin.status.restarts).toBe(1);
  await plugin.start();
  expect(plugin.status.pids).not.toEqual(pids);
});

// requirement: yams:process:crash, yams:overview:isolation, yams:host:recovery
test('a crash fails the call with the last words, makes the plugin unhealthy, and is recovered from', async () => {
  const plugin = start('crashes-at-extract.mjs');
  await plugin.start();
  const states: string[] = [];
  plugin.onEvent((event) => {
    if (event.kind === 'state-changed') states.push(event.state);
  });
  expect(await plugin.call('extractor.extract', source)).toMatchObject({
    ok: false,
    error: { code: 'PLUGIN_EXITED', stderr: 'out of luck at extract\n' },
  });
  await expect.poll(() => plugin.status).toMatchObject({ state: 'ready', restarts: 1 });
  expect(states.filter((state) => !['busy', 'ready'].includes(state))).toEqual([
    'unhealthy',
    'backoff',
    'starting',
  ]);
});

// requirement: yams:host:synchronised, yams:principle:synchronous
test('callers of one plugin take turns', async () => {
  const plugin = start('well-behaved.mjs');
  const order: string[] = [];
  const ids = new Set<unknown>();
  plugin.observe((direction, message) => {
    if (message.kind === 'request' && message.method === 'text.reverse') ids.add(message.id);
    if ('id' in message && ids.has(message.id)) order.push(direction);
  });
  const calls = ['a', 'b', 'c'].map((text) => plugin.call('text.reverse', { text }));
  for (const call of calls) expect(await call).toMatchObject({ ok: true });
  expect(order).toEqual(['sent', 'received', 'sent', 'received', 'sent', 'received']);
});

// requirement: yams:health:when
test('an idle plugin is asked for its health from time to time', async () => {
  const plugin = start('well-behaved.mjs', { pingEveryMs: 20, pingMs: 5000 });
  const asked = sentOf(plugin, 'plugin.health');
  await plugin.start();
  await expect.poll(() => asked.length).toBeGreaterThan(2);
  expect(plugin.status).toMatchObject({ state: 'ready', restarts: 0 });
});

function start(file: string, limits: PluginLimits = {}): Plugin {
  return fleetOf({
    name: path.basename(file, '.mjs'),
    dialect: 'yams',
    start: { kind: 'program', command: path.join(root, 'test/plugins/yams', file) },
    limits: { shutdownMs: 100, termMs: 100, ...limits },
    restart: { firstDelayMs: 10 },
  });
}
