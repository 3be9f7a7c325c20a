// Who is over a limit of G-Assist is ended, as the specification has it, and started again.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PluginLimits, PluginSpec } from '../../src/definition/plugin-spec.ts';
import type { Plugin } from '../../src/fleet/plugin/plugin.ts';
import { fleetOf, sentOf } from '../support/fleet/program-fleet.ts';
import { root } from '../support/project.ts';

describe('a plugin is ended', () => {
  // requirement: gassist:ping:two-misses-kill, gassist:timeouts:ping-kills, gassist:goals:watchdog
  test('at the second ping in a row that it misses', async () => {
    const plugin = newPlugin('never-pongs.mjs', { pingEveryMs: 100, pingMs: 100 });
    const pings = sentOf(plugin, 'ping');
    const { pids, ended } = await started(plugin);
    expect(await ended).toMatchObject({ code: 'WATCHDOG_KILLED' });
    // More when this process itself was late: that is no miss.
    expect(pings.length).toBeGreaterThanOrEqual(2);
    await againAs(plugin, pids);
  });

  test('not for pings that it misses while it works, unless it is watched strictly', async () => {
    const limits = { pingEveryMs: 50, pingMs: 50 };
    const lenient = newPlugin('never-pongs-while-it-works.mjs', limits);
    expect(await lenient.call('work', { ms: 300 })).toMatchObject({ ok: true, text: 'done' });
    const strict = newPlugin('never-pongs-while-it-works.mjs', limits, { liveness: 'strict' });
    expect(await strict.call('work', { ms: 60_000 })).toMatchObject({
      ok: false,
      error: { code: 'WATCHDOG_KILLED' },
    });
  });

  // requirement: gassist:timeouts:execute-kills
  test('when a call is not complete in time, whatever it streams', async () => {
    const plugin = newPlugin('never-completes.mjs', { callMs: 4000 });
    const { pids, ended } = await started(plugin);
    expect(await plugin.call('work')).toMatchObject({
      ok: false,
      text: '.',
      error: { code: 'CALL_TIMEOUT' },
    });
    await ended;
    await againAs(plugin, pids);
  });

  // requirement: gassist:timeouts:ack-kills
  test('when it does not acknowledge an input in time', async () => {
    const plugin = newPlugin('never-acknowledges.mjs', { ackMs: 100 });
    const { pids, ended } = await started(plugin);
    const talk = plugin.talk('work');
    expect(await talk.opening).toMatchObject({ ok: true, keepSession: true });
    expect(await talk.say('hello')).toMatchObject({ ok: false, error: { code: 'ACK_TIMEOUT' } });
    expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'ACK_TIMEOUT' } });
    await ended;
    await againAs(plugin, pids);
  });

  // requirement: gassist:timeouts:session-kills
  test('when a session lasts too long', async () => {
    const plugin = newPlugin('keeps-session-for-ever.mjs', { talkMs: 5000 });
    const { pids, ended } = await started(plugin);
    const talk = plugin.talk('work');
    expect(await talk.opening).toMatchObject({ keepSession: true });
    expect(await talk.say('bye')).toMatchObject({ ok: true, text: 'Stay.', keepSession: true });
    expect(await talk.ended).toMatchObject({ reason: 'failed', error: { code: 'TALK_TIMEOUT' } });
    expect(await ended).toMatchObject({ code: 'TALK_TIMEOUT' });
    await againAs(plugin, pids);
  });
});

test('the user can leave a session that the plugin never ends', async () => {
  const plugin = newPlugin('keeps-session-for-ever.mjs');
  const { pids } = await started(plugin);
  const talk = plugin.talk('work');
  expect(await talk.opening).toMatchObject({ keepSession: true });
  talk.end();
  expect(await talk.ended).toEqual({ reason: 'left' });
  expect(await plugin.call('work')).toMatchObject({ ok: true });
  expect(plugin.status.pids).toEqual(pids);
});

function newPlugin(file: string, limits: PluginLimits = {}, more: Partial<PluginSpec> = {}): Plugin {
  return fleetOf({
    name: path.basename(file, '.mjs'),
    dialect: 'gassist',
    start: { kind: 'program', command: path.join(root, 'test/plugins/gassist', file) },
    // Ended at once when it is stopped: these tests are not about that.
    limits: { shutdownMs: 100, termMs: 100, ...limits },
    restart: { firstDelayMs: 1 },
    ...more,
  });
}

/** Starts it; `ended` is why its first process is ended. */
async function started(plugin: Plugin) {
  const ended = new Promise<unknown>((resolve) => {
    plugin.onEvent((event) => {
      if (event.kind === 'state-changed' && event.state === 'backoff') resolve(event.reason);
    });
  });
  await plugin.start();
  return { pids: plugin.status.pids, ended };
}

/** Waits until another process has taken the place of the one that was ended, which is gone. */
async function againAs(plugin: Plugin, pids: readonly number[]): Promise<void> {
  await plugin.start();
  expect(plugin.status.pids).not.toEqual(pids);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
}
