// Plugins that misbehave, in processes of their own, under the whole fleet.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { PluginEvent } from '../../src/fleet/plugin/instances.ts';
import { comesTo, realFleet, realPlugin, specOf } from '../support/fleet/real-fleet.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const quick = { pingEveryMs: 100, pingMs: 300, cancelMs: 200, shutdownMs: 500, termMs: 500 };

test('a plugin that exits in mid-call is told with code and last words, and the next call finds it restarted', async () => {
  const plugin = realPlugin('fleet/does-as-told.mjs');
  expect(await plugin.call('exit', { code: 5 })).toMatchObject({
    ok: false,
    error: {
      code: 'PLUGIN_EXITED',
      message: 'Plugin "does-as-told" exited with code 5.',
      stderr: 'I was told to go.\n',
    },
  });
  // At once, not only when it is started again: its host may close now.
  expect(plugin.logs.entries.at(-1)?.message).toBe('unhealthy: Plugin "does-as-told" exited with code 5.');
  expect(await plugin.call('echo', { a: 1 })).toMatchObject({ ok: true, data: { a: 1 } });
  expect(plugin.status).toMatchObject({ state: 'ready', restarts: 1 });
});

test('the last words of a plugin are in its log before its end is, though they are no whole line', async () => {
  const script = `process.stderr.write('reading …\\nfatal: no config'); process.exit(1)`;
  const start = { kind: 'program', command: process.execPath, args: ['-e', script] } as const;
  const [plugin] = realFleet([{ ...specOf('quitter'), start, restart: { max: 0 } }]).plugins;
  await expect(plugin?.start()).rejects.toMatchObject({ stderr: 'reading …\nfatal: no config' });
  expect(plugin?.logs.entries.map(({ source, message }) => `${source} ${message}`).slice(0, 4)).toEqual([
    'host starting',
    'stderr reading …',
    'stderr fatal: no config',
    expect.stringContaining('exited with code 1'),
  ]);
});

test('the last words are in the log too where somebody who got away holds stderr open', async () => {
  const script = `
    const stdio = ['ignore', 'ignore', 'inherit'];
    const { pid } = require('node:child_process').spawn('sleep', ['60'], { detached: true, env: {}, stdio });
    process.stderr.write('left behind: ' + pid);
    process.exit(1);`;
  const start = { kind: 'program', command: process.execPath, args: ['-e', script] } as const;
  const [plugin] = realFleet([{ ...specOf('quitter'), start, restart: { max: 0 } }]).plugins;
  await expect(plugin?.start()).rejects.toMatchObject({ stderr: expect.stringMatching(/^left/) as string });
  const said = () => plugin?.logs.entries.find(({ source }) => source === 'stderr')?.message ?? '';
  await expect.poll(said).toMatch(/^left behind: \d+$/);
  // It is there still.
  expect(process.kill(Number(said().slice('left behind: '.length)), 'SIGKILL')).toBe(true);
});

test('defaults of a schema reach the plugin, and wrong arguments do not', async () => {
  const plugin = realPlugin('fleet/does-as-told.mjs');
  expect(await plugin.call('exit', { code: 'soon' })).toMatchObject({
    ok: false,
    error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('code: must be integer') as string },
  });
  expect(await plugin.call('exit')).toMatchObject({
    ok: false,
    error: { message: 'Plugin "does-as-told" exited with code 3.' },
  });
});

test('a plugin that is killed from outside fails all its calls at once', async () => {
  const plugin = realPlugin('fleet/does-as-told.mjs', { concurrency: 3 });
  await plugin.start();
  const calls = [1, 2, 3].map(() => plugin.call('never'));
  process.kill(plugin.status.pids[0]!, 'SIGKILL');
  for (const call of calls)
    expect(await call).toMatchObject({
      ok: false,
      error: { code: 'PLUGIN_EXITED', message: 'Plugin "does-as-told" was ended by the signal SIGKILL.' },
    });
});

test('a plugin that reads no more is ended, and those who call it are told so', async () => {
  const plugin = realPlugin('fleet/closes-its-stdin.mjs', { limits: { ...quick, pingEveryMs: 0 } });
  const closed = new Promise<void>((resolve) => {
    plugin.logs.follow(({ source }) => {
      if (source === 'stderr') resolve();
    });
  });
  await plugin.start();
  await closed;
  expect(await plugin.call('anything')).toMatchObject({
    ok: false,
    error: {
      code: 'PLUGIN_EXITED',
      message: expect.stringContaining('takes no messages any more') as string,
    },
  });
});

test('a plugin that is stopped while idle is found, ended and started again', async () => {
  const plugin = realPlugin('fleet/does-as-told.mjs', { limits: quick });
  await plugin.start();
  const reasons = reasonsOf(plugin.onEvent.bind(plugin));
  const restarted = comesTo(plugin, 'starting');
  process.kill(plugin.status.pids[0]!, 'SIGSTOP');
  await restarted;
  expect(reasons()).toContain('WATCHDOG_KILLED');
  expect(await plugin.call('echo')).toMatchObject({ ok: true });
});

test('a plugin that stops itself in mid-call is found, and the call is told so', async () => {
  const plugin = realPlugin('fleet/does-as-told.mjs', { limits: quick });
  expect(await plugin.call('stop')).toMatchObject({ ok: false, error: { code: 'WATCHDOG_KILLED' } });
  expect(await plugin.call('echo')).toMatchObject({ ok: true });
});

test.each([
  ['mcp', 'mcp/well-behaved.mjs', 'wait', 'add', { a: 1, b: 2 }],
  ['yams', 'fleet/does-as-told.mjs', 'stop', 'echo', {}],
] as const)(
  'a stopped process of %s is found long before the limits of its dialect, and the next call finds it restarted',
  async (dialect, file, tool, next, args) => {
    const plugin = realPlugin(file, { dialect });
    await plugin.start();
    const call = plugin.call(tool);
    process.kill(plugin.status.pids[0]!, 'SIGSTOP');
    const outcome = await call;
    expect(outcome).toMatchObject({ ok: false, error: { code: 'WATCHDOG_KILLED' } });
    expect(outcome.durationMs).toBeLessThan(20_000);
    expect(await plugin.call(next, args)).toMatchObject({ ok: true });
  },
);

test('a plugin that is busy longer than a ping may take is left to its work', async () => {
  const plugin = realPlugin('fleet/does-as-told.mjs', { limits: quick });
  expect(await plugin.call('spin', { ms: 1000 })).toMatchObject({ ok: true, text: 'done' });
  expect(plugin.status.restarts).toBe(0);
});

test('strict liveness ends it', async () => {
  const plugin = realPlugin('fleet/does-as-told.mjs', { limits: quick, liveness: 'strict' });
  expect(await plugin.call('spin', { ms: 10_000 })).toMatchObject({
    ok: false,
    error: { code: 'WATCHDOG_KILLED' },
  });
});

test('a plugin that freezes while idle is found by its pings', async () => {
  const plugin = realPlugin('fleet/does-as-told.mjs', { limits: quick });
  await plugin.start();
  const ended = comesTo(plugin, 'unhealthy');
  await plugin.call('spin_later', { ms: 20_000 });
  await ended;
  expect(plugin.status.reason).toMatchObject({ code: 'WATCHDOG_KILLED' });
});

test('a cancelled call that is never finished costs the process, and those who waited go on', async () => {
  const plugin = realPlugin('fleet/does-as-told.mjs', { limits: quick });
  await plugin.start();
  const [pid] = plugin.status.pids;
  const call = plugin.call('never');
  const waiting = plugin.call('pid');
  call.cancel();
  expect(await call).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  expect(await waiting).toMatchObject({ ok: true, data: expect.not.toBeOneOf([pid]) as number });
});

test('a plugin that does not introduce itself is ended at its limit, with its last words', async () => {
  const plugin = realPlugin('fleet/never-introduces-itself.mjs', { limits: { startMs: 5000 } });
  await expect(plugin.start()).rejects.toMatchObject({
    code: 'START_TIMEOUT',
    stderr: 'Loading a model of 40 GB.\n',
  });
});

test('a stop in the middle of a start leaves nothing behind', async () => {
  const plugin = realPlugin('fleet/never-introduces-itself.mjs');
  const started = expect(plugin.start()).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
  await expect.poll(() => plugin.status.pids).toHaveLength(1);
  const [pid] = plugin.status.pids;
  await plugin.stop();
  await started;
  expect(fs.existsSync(`/proc/${pid}/exe`)).toBe(false);
});

test('a plugin that crashes at every start fails for good, and says why', async () => {
  const plugin = realPlugin('fleet/crashes-at-every-start.mjs', { restart: { max: 2 } });
  const failed = comesTo(plugin, 'failed');
  expect(await plugin.call('echo')).toMatchObject({
    ok: false,
    error: { code: 'PLUGIN_EXITED', stderr: 'The database is not there.\n' },
  });
  await failed;
  expect(await plugin.call('echo')).toMatchObject({
    ok: false,
    error: {
      code: 'CRASH_LOOP',
      message: expect.stringContaining('exited with code 4') as string,
      stderr: 'The database is not there.\n',
    },
  });
});

test('what was mended is started again by hand', async () => {
  const file = path.join(temporaryFolder(), 'mended');
  const plugin = realPlugin('fleet/crashes-until-told-otherwise.mjs', { args: [file], restart: { max: 1 } });
  const failed = comesTo(plugin, 'failed');
  await expect(plugin.start()).rejects.toMatchObject({ code: 'PLUGIN_EXITED' });
  await failed;
  fs.writeFileSync(file, '');
  await plugin.restart();
  expect(plugin.status.state).toBe('ready');
});

test('a program that is not there is told at once, and not tried again', async () => {
  const plugin = realPlugin('fleet/nobody-wrote-it.mjs');
  await expect(plugin.start()).rejects.toMatchObject({ code: 'PROGRAM_NOT_FOUND' });
  await expect.poll(() => plugin.status.state).toBe('failed');
});

test('a pool of processes works at the same time', async () => {
  const plugin = realPlugin('fleet/does-as-told.mjs', { instances: 3 });
  await plugin.start();
  const pids = async () => {
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => plugin.call('pid')));
    return new Set(outcomes.map((outcome) => outcome.data));
  };
  await expect.poll(async () => (await pids()).size).toBe(3);
  expect(new Set(plugin.status.pids)).toEqual(await pids());
});

test('one slow and one broken plugin delay no other', async () => {
  const fleet = realFleet([
    specOf('fleet/never-introduces-itself.mjs', { limits: { startMs: 60_000 } }),
    specOf('fleet/crashes-at-every-start.mjs'),
    specOf('fleet/does-as-told.mjs'),
  ]);
  void fleet.start();
  expect(await fleet.plugin('does-as-told').call('echo')).toMatchObject({ ok: true });
  expect(fleet.plugin('never-introduces-itself').status.state).toBe('starting');
});

test('what a plugin prints and what happens to it stands in its log, in memory and on disk', async () => {
  const folder = temporaryFolder();
  const plugin = realPlugin('fleet/does-as-told.mjs', {}, { logFolder: folder });
  await plugin.call('exit');
  await plugin.close();
  const texts = plugin.logs.entries.map(({ source, message }) => `${source}: ${message}`);
  expect(texts).toEqual(
    expect.arrayContaining([
      'host: starting',
      'host: ready',
      'stderr: I was told to go.',
      'host: unhealthy: Plugin "does-as-told" exited with code 3.',
      'host: stopped: Plugin "does-as-told" was stopped.',
    ]),
  );
  const file = fs.readFileSync(path.join(folder, 'does-as-told.log'), 'utf8');
  for (const { message } of plugin.logs.entries) expect(file).toContain(message);
});

test('a plugin rests when nobody uses it, and the next call wakes it', async () => {
  const plugin = realPlugin('fleet/does-as-told.mjs', { lazy: true, idleStopMs: 300 });
  const rests = comesTo(plugin, 'stopped');
  expect(await plugin.call('echo')).toMatchObject({ ok: true });
  await rests;
  expect(plugin.status.pids).toEqual([]);
  expect(await plugin.call('echo')).toMatchObject({ ok: true });
});

test('a conversation that never ends has a way out, and a limit', async () => {
  const plugin = realPlugin('gassist/keeps-session-for-ever.mjs', {
    dialect: 'gassist',
    limits: { ...quick, talkMs: 5000 },
  });
  await plugin.start();
  const tool = plugin.tools()[0]?.name ?? 'chat';
  const left = plugin.talk(tool);
  expect(await left.opening).toMatchObject({ ok: true, keepSession: true });
  expect(await left.say('hello')).toMatchObject({ ok: true, keepSession: true });
  left.end();
  expect(await left.ended).toEqual({ reason: 'left' });
  const late = plugin.talk(tool);
  await late.opening;
  expect(await late.ended).toMatchObject({ reason: 'failed', error: { code: 'TALK_TIMEOUT' } });
  expect(await plugin.call(tool)).toMatchObject({ ok: true });
  expect(plugin.status.restarts).toBe(1);
});

test('the dialect of a plugin that does not tell it is found out once', async () => {
  const asked: string[] = [];
  const { dialect: _, ...spec } = specOf('fleet/does-as-told.mjs');
  const fleet = realFleet([spec], {
    detect: async ({ name }) => {
      asked.push(name);
      return 'yams';
    },
  });
  await fleet.start();
  await fleet.plugin('does-as-told').restart();
  expect(asked).toEqual(['does-as-told']);
});

function reasonsOf(follow: (listener: (event: PluginEvent) => void) => unknown): () => unknown[] {
  const reasons: unknown[] = [];
  follow((event) => {
    if (event.kind === 'state-changed') reasons.push(event.reason?.code);
  });
  return () => reasons;
}
