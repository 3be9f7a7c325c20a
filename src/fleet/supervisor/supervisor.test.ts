// One process of a plugin from start to stop, seen through the plugin that it belongs to.
import { expect, test } from 'vitest';
import {
  fakeWorld,
  settled,
  type FakeProcess,
  type FakeWorld,
} from '../../../test/support/fleet/fake-world.ts';
import { PluglotError } from '../../base/error.ts';
import type { PluginState } from '../plugin/instances.ts';

test('a start goes from stopped over starting to ready', async () => {
  const world = fakeWorld();
  const states = statesOf(world);
  const manifest = await world.plugin.start();
  expect(manifest).toMatchObject({ name: 'fake', version: '1' });
  expect(world.plugin.manifest).toEqual(manifest);
  expect(states).toEqual(['starting', 'ready']);
  expect(world.plugin.status).toMatchObject({ state: 'ready', pids: [world.process.pid], restarts: 0 });
});

test('two starts at once are one', async () => {
  const world = fakeWorld();
  await Promise.all([world.plugin.start(), world.plugin.start()]);
  await world.plugin.start();
  expect(world.processes).toHaveLength(1);
});

test('a stop says goodbye, ends the process, and keeps what is known of the plugin', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  const states = statesOf(world);
  await world.plugin.stop();
  expect(world.process).toMatchObject({ goodbyes: 1, isGone: true, signals: [] });
  expect(states).toEqual(['stopping', 'stopped']);
  expect(world.plugin.status).toMatchObject({ state: 'stopped', pids: [] });
  expect(world.plugin.tools()).toHaveLength(2);
  await world.advance(600_000);
  expect(world.processes).toHaveLength(1);
});

test('stopping what does not run is nothing', async () => {
  const world = fakeWorld();
  await world.plugin.stop();
  await world.plugin.stop();
  expect(world.plugin.status.state).toBe('stopped');
});

test('a goodbye that is never answered does not hold up the stop', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  world.process.ignoresShutdown = true;
  const stopped = world.plugin.stop();
  await world.advance(5900);
  expect(world.plugin.status.state).toBe('stopping');
  await world.advance(200);
  await stopped;
  expect(world.process.isGone).toBe(true);
});

test('a plugin that does not introduce itself in time is ended and tried again', async () => {
  const world = fakeWorld({ onStart: hangs });
  const started = world.plugin.start();
  const failure = expect(started).rejects.toMatchObject({
    code: 'START_TIMEOUT',
    message: expect.stringContaining('within 10000 ms') as string,
    stderr: 'waiting for the moon',
  });
  await settled();
  world.process.stderrText = 'waiting for the moon';
  await world.advance(9999);
  expect(world.plugin.status.state).toBe('starting');
  await world.advance(1);
  await failure;
  await settled();
  expect(world.process).toMatchObject({ isGone: true, signals: ['SIGKILL'] });
  expect(world.plugin.status).toMatchObject({ state: 'backoff', reason: { code: 'START_TIMEOUT' } });
  await world.advance(200);
  expect(world.processes).toHaveLength(2);
});

test('a process that exits while it starts tells its exit code and what it printed', async () => {
  const world = fakeWorld({
    onStart: (process) => {
      process.stderrText = 'no such module';
      process.exit(7);
    },
  });
  await expect(world.plugin.start()).rejects.toMatchObject({
    code: 'PLUGIN_EXITED',
    message: 'Plugin "fake" exited with code 7.',
    stderr: 'no such module',
  });
});

test('a start that is refused is told in the words of the dialect, with what was printed', async () => {
  const world = fakeWorld({
    onStart: (process) => {
      process.stderrText = 'no key';
      process.refuse(new PluglotError('START_FAILED', 'Plugin "fake" refused: no key'));
    },
  });
  await expect(world.plugin.start()).rejects.toMatchObject({
    code: 'START_FAILED',
    message: 'Plugin "fake" refused: no key',
    stderr: 'no key',
  });
  await settled();
  expect(world.plugin.status.state).toBe('backoff');
});

test.each(['PROGRAM_NOT_FOUND', 'CONFIG_INVALID'] as const)(
  'a launch that fails with %s is not tried again',
  async (code) => {
    const world = fakeWorld({ launchError: () => new PluglotError(code, 'No.') });
    await expect(world.plugin.start()).rejects.toMatchObject({ code });
    await settled();
    expect(world.plugin.status).toMatchObject({ state: 'failed', reason: { code } });
    expect(await world.plugin.call('echo')).toMatchObject({ ok: false, error: { code, message: 'No.' } });
  },
);

test('a dialect that says no for good is not asked again', async () => {
  const world = fakeWorld({
    onStart: (process) => process.refuse(new PluglotError('UNSUPPORTED_PROTOCOL', 'V1.')),
  });
  await expect(world.plugin.start()).rejects.toMatchObject({ code: 'UNSUPPORTED_PROTOCOL' });
  await world.advance(100_000);
  expect(world.plugin.status.state).toBe('failed');
  expect(world.processes).toHaveLength(1);
});

test('a plugin without a dialect does not start when nobody can find it out', async () => {
  const world = fakeWorld({ spec: { dialect: 'planner' } });
  await expect(world.plugin.start()).rejects.toMatchObject({ code: 'DIALECT_UNKNOWN' });
});

test('a plugin that crashes again and again fails for good, with the last reason', async () => {
  const world = fakeWorld({
    onStart: (process) => {
      process.stderrText = `crash ${process.pid - 2 ** 30}`;
      process.exit(1);
    },
  });
  const states = statesOf(world);
  world.plugin.start().catch(() => {});
  await world.advance(10_000);
  expect(world.processes).toHaveLength(6);
  expect(world.plugin.status).toMatchObject({
    state: 'failed',
    restarts: 5,
    reason: { code: 'CRASH_LOOP', stderr: 'crash 6' },
  });
  expect(states).toEqual([
    ...Array.from({ length: 5 }, () => ['starting', 'backoff']).flat(),
    'starting',
    'failed',
  ]);
  expect(await world.plugin.call('echo')).toMatchObject({
    ok: false,
    error: {
      code: 'CRASH_LOOP',
      message: expect.stringContaining('exited with code 1') as string,
      stderr: 'crash 6',
    },
  });
});

test.each(['start', 'restart'] as const)('an explicit %s begins anew after a failure', async (how) => {
  let works = false;
  const world = fakeWorld({ onStart: (process) => (works ? process.introduce() : process.exit(1)) });
  world.plugin.start().catch(() => {});
  await world.advance(10_000);
  expect(world.plugin.status.state).toBe('failed');
  works = true;
  await world.plugin[how]();
  expect(world.plugin.status).toMatchObject({ state: 'ready', restarts: 0 });
});

test('a stop forgets a failure', async () => {
  const world = fakeWorld({ launchError: () => new PluglotError('PROGRAM_NOT_FOUND', 'No.') });
  await world.plugin.start().catch(() => {});
  await settled();
  await world.plugin.stop();
  expect(world.plugin.status.state).toBe('stopped');
});

test('a start during the wait for the next one does not wait for it', async () => {
  const world = fakeWorld({ spec: { restart: { firstDelayMs: 10_000 } } });
  await world.plugin.start();
  world.process.exit(1);
  await settled();
  expect(world.plugin.status.state).toBe('backoff');
  await world.plugin.start();
  expect(world.plugin.status.state).toBe('ready');
  expect(world.processes).toHaveLength(2);
});

test('a stop during the wait for the next start ends it', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  world.process.exit(1);
  await settled();
  await world.plugin.stop();
  expect(world.plugin.status.state).toBe('stopped');
  await world.advance(100_000);
  expect(world.processes).toHaveLength(1);
});

test('a stop while it starts ends the start', async () => {
  const world = fakeWorld({ onStart: hangs });
  const started = expect(world.plugin.start()).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
  await settled();
  await world.plugin.stop();
  await started;
  expect(world.process.isGone).toBe(true);
  expect(world.process.goodbyes).toBe(0);
  expect(world.plugin.status.state).toBe('stopped');
});

test('a stop before the process is even there ends it when it comes', async () => {
  const world = fakeWorld();
  world.plugin.start().catch(() => {});
  await world.plugin.stop();
  await settled();
  expect(world.processes.every(({ isGone }) => isGone)).toBe(true);
  expect(world.plugin.status.state).toBe('stopped');
});

test('a start while it stops waits for the stop', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  const first = world.process;
  first.ignoresShutdown = true;
  const stopped = world.plugin.stop();
  const started = world.plugin.start();
  await settled();
  expect(world.processes).toHaveLength(1);
  first.exit(0);
  await Promise.all([stopped, started]);
  expect(world.processes).toHaveLength(2);
  expect(world.plugin.status.state).toBe('ready');
});

test('start, stop, start, stop at once: the last word counts', async () => {
  const world = fakeWorld();
  const results = await Promise.allSettled([
    world.plugin.start(),
    world.plugin.stop(),
    world.plugin.start(),
    world.plugin.stop(),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  expect(world.plugin.status.state).toBe('stopped');
  expect(world.processes.every(({ isGone }) => isGone)).toBe(true);
});

test('a restart replaces the process, and calls made meanwhile wait', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  const before = world.plugin.call('echo');
  const restarted = world.plugin.restart();
  const after = world.plugin.call('echo');
  expect(await before).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
  await restarted;
  expect(world.processes).toHaveLength(2);
  world.process.call.end();
  expect(await after).toMatchObject({ ok: true });
});

test('calls that wait during a restart are not sent to the process that goes', async () => {
  const world = fakeWorld({ cancel: 'free' });
  await world.plugin.start();
  const [before, after] = [world.plugin.call('echo'), world.plugin.call('other')];
  await world.plugin.restart();
  expect(await before).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
  expect(world.processes.map(({ calls }) => calls.map(({ request }) => request.tool))).toEqual([
    ['echo'],
    ['other'],
  ]);
  world.process.call.end();
  expect(await after).toMatchObject({ ok: true });
});

test('a plugin that closes its output and lives on is ended', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  const call = world.plugin.call('echo');
  world.process.closeOutput();
  await world.advance(1000);
  expect(await call).toMatchObject({
    ok: false,
    error: {
      code: 'PLUGIN_EXITED',
      message: 'Plugin "fake" closed its output and went on running; it was ended.',
    },
  });
  expect(world.processes[0]).toMatchObject({ isGone: true, signals: ['SIGKILL'] });
});

test('a frozen plugin is unhealthy, ended and started again', async () => {
  const world = fakeWorld({ hasPing: true });
  await world.plugin.start();
  const states = statesOf(world);
  world.process.answersPings = false;
  const missed = async () => {
    await world.advance(2000);
    world.processes[0]?.pings.shift()?.reject(new Error('no answer'));
  };
  await missed();
  await missed();
  await world.advance(300);
  expect(states).toEqual(['unhealthy', 'backoff', 'starting', 'ready']);
  expect(world.processes[0]).toMatchObject({ isGone: true, signals: ['SIGKILL'] });
});

test('a stopped process is ended in the middle of a call, which is told so', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  const call = world.plugin.call('echo');
  world.process.call.stream('half');
  world.process.stopped = true;
  await world.advance(3000);
  expect(await call).toMatchObject({ ok: false, text: 'half', error: { code: 'WATCHDOG_KILLED' } });
  await world.advance(300);
  expect(world.plugin.status.state).toBe('ready');
});

test('stable uptime makes failures forgotten', async () => {
  const world = fakeWorld({ spec: { restart: { max: 1, stableMs: 1000, withinMs: 100_000_000 } } });
  await world.plugin.start();
  for (let i = 0; i < 5; i++) {
    await world.advance(1500);
    expect(world.plugin.status.state).toBe('ready');
    world.process.exit(1);
    await settled();
  }
  await world.advance(300);
  world.process.exit(1);
  await settled();
  expect(world.plugin.status.state).toBe('failed');
});

test('two instances live and fail apart from each other', async () => {
  const world = fakeWorld({ spec: { instances: 2, restart: { max: 0 } } });
  await world.plugin.start();
  await settled();
  expect(world.plugin.status.pids).toHaveLength(2);
  world.process.exit(1);
  await settled();
  expect(world.plugin.status.state).toBe('ready');
  const call = world.plugin.call('echo');
  world.processes[0]!.call.end();
  expect(await call).toMatchObject({ ok: true });
  world.processes[0]!.exit(1);
  await settled();
  expect(world.plugin.status).toMatchObject({ state: 'failed', reason: { code: 'CRASH_LOOP' } });
});

function hangs(_process: FakeProcess): void {}

function statesOf(world: FakeWorld): PluginState[] {
  const states: PluginState[] = [];
  world.plugin.onEvent((event) => {
    if (event.kind === 'state-changed') states.push(event.state);
  });
  return states;
}
