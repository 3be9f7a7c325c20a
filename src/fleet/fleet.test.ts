import { expect, test } from 'vitest';
import type { PluglotError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { testRegistry } from '../../test/support/fleet/registry.ts';
import { fakeWorld, settled } from '../../test/support/fleet/fake-world.ts';

test('a call starts the plugin, is sent, streams, and ends with an outcome', async () => {
  const world = fakeWorld();
  const call = world.plugin.call('echo', { a: 1 });
  await settled();
  const wire = world.process.call;
  expect(wire.request).toMatchObject({ tool: 'echo', args: { a: 1 }, timeoutMs: 30_000 });
  wire.stream('hello');
  wire.end({ ok: true, text: 'hello', data: { a: 1 } });
  expect(await call).toEqual({ ok: true, text: 'hello', data: { a: 1 }, durationMs: 0 });
  const events = [];
  for await (const event of call) events.push(event);
  expect(events).toEqual([{ kind: 'text', text: 'hello' }]);
  expect(world.plugin.status).toMatchObject({ state: 'ready', running: 0, waiting: 0, restarts: 0 });
});

test('a process that ends fails its calls, and is started again', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  const call = world.plugin.call('echo');
  world.process.stderrText = 'boom';
  world.process.exit(3);
  expect(await call).toMatchObject({
    ok: false,
    error: { code: 'PLUGIN_EXITED', message: 'Plugin "fake" exited with code 3.', stderr: 'boom' },
  });
  await settled();
  expect(world.plugin.status.state).toBe('backoff');
  const later = world.plugin.call('echo');
  await world.advance(200);
  expect(world.processes).toHaveLength(2);
  world.process.call.end();
  expect(await later).toMatchObject({ ok: true });
});

test('what is logged in a call is an event of the call, and stands in the log of the plugin too', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  const call = world.plugin.call('echo');
  const { sink } = world.process.call;
  sink.event({ kind: 'log', level: 'warn', message: 'hm', data: { a: 1 } });
  world.process.services?.log({ level: 'info', message: 'by the way' });
  world.process.call.end();
  await call;
  sink.event({ kind: 'log', level: 'info', message: 'late' });
  const events = [];
  for await (const event of call) events.push(event);
  expect(events).toEqual([{ kind: 'log', level: 'warn', message: 'hm', data: { a: 1 } }]);
  expect(world.plugin.logs.entries.filter(({ source }) => source === 'plugin')).toMatchObject([
    { level: 'warn', message: 'hm', data: { a: 1 }, call: call.id },
    { level: 'info', message: 'by the way' },
    { level: 'info', message: 'late', call: call.id },
  ]);
});

test('what is logged in a call counts with its data, and may be of any depth', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  const call = world.plugin.call('echo');
  const { sink } = world.process.call;
  let deep: Json = [];
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  sink.event({ kind: 'log', level: 'info', message: 'deep', data: deep });
  expect(world.plugin.logs.entries.at(-1)).toMatchObject({ message: 'deep' });
  const data = Array.from({ length: 1024 }, () => 'x'.repeat(1024));
  for (let n = 0; n < 70; n++) sink.event({ kind: 'log', level: 'info', message: '', data });
  expect(await call).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
});

test('a plugin that is not known is told with near names', () => {
  const { fleet } = fakeWorld();
  expect(() => fleet.plugin('fak')).toThrow('There is no plugin "fak". Did you mean "fake"?');
  expect(() => fleet.plugin('x'.repeat(1000))).toThrow(/^There is no plugin "x{100}"\.$/);
});

test('plugins come and go, and the fleet tells it', async () => {
  const { fleet, plugin } = fakeWorld();
  const events: string[] = [];
  const end = fleet.onEvent((event) => {
    const what = event.kind === 'state-changed' ? `${event.previous} → ${event.state}` : event.kind;
    if (event.kind !== 'logged') events.push(`${event.plugin}: ${what}`);
  });
  const added = fleet.add({ ...plugin.spec, name: 'second' });
  expect(fleet.plugins).toEqual([plugin, added]);
  expect(() => fleet.add(added.spec)).toThrow('There are two plugins of the name "second".');
  await added.start();
  await fleet.remove('second');
  expect(fleet.plugins).toEqual([plugin]);
  end();
  await plugin.start();
  expect(events).toEqual([
    'second: plugin-added',
    'second: stopped → starting',
    'second: tools-changed',
    'second: starting → ready',
    'second: ready → stopping',
    'second: stopping → stopped',
    'second: plugin-removed',
  ]);
});

test('one broken plugin delays no other, and a start of all never rejects', async () => {
  const { fleet, plugin } = fakeWorld({
    onStart: (process) => (process.pluginName === 'fake' ? undefined : process.introduce()),
  });
  const other = fleet.add({ ...plugin.spec, name: 'other' });
  void fleet.start();
  await settled();
  expect([plugin.status.state, other.status.state]).toEqual(['starting', 'ready']);
});

test('closing stops everything, whatever state it is in', async () => {
  const states = ['starts', 'ready', 'exits', 'rests'] as const;
  const world = fakeWorld({
    onStart: (process) => {
      if (process.pluginName === 'ready') process.introduce();
      if (process.pluginName === 'exits') process.exit(1);
    },
  });
  for (const name of states) world.fleet.add({ ...world.plugin.spec, name, lazy: name === 'rests' });
  void world.fleet.start();
  await settled();
  await world.fleet.close();
  expect(world.fleet.plugins.map(({ status }) => status.state)).toEqual(Array(5).fill('stopped'));
  expect(world.processes.every(({ isGone }) => isGone)).toBe(true);
  await world.advance(60_000);
  expect(world.clock.waiting).toBe(0);
});

test('what is closed stays closed', async () => {
  const { fleet, plugin } = fakeWorld();
  await fleet.close();
  await expect(plugin.start()).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
  await expect(plugin.restart()).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
  expect(await plugin.call('echo')).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
});

test('health is what the plugin says, or what is known of it', async () => {
  const world = fakeWorld({ hasPing: true });
  expect(await world.plugin.health()).toEqual({ status: 'error', message: 'It is stopped.' });
  await world.plugin.start();
  expect(await world.plugin.health()).toEqual({ status: 'ok' });
  const call = world.plugin.call('echo');
  expect(await world.plugin.health()).toEqual({ status: 'ok', message: 'It is busy with a call.' });
  world.process.call.end();
  await call;
  world.process.answersPings = false;
  const health = world.plugin.health();
  world.process.pings.shift()?.reject(new Error('no answer'));
  expect(await health).toEqual({ status: 'error', message: 'no answer' });
});

test('what a plugin lacks is said', async () => {
  const { plugin } = fakeWorld();
  await expect(plugin.resources()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  await expect(plugin.prompts()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  expect(await plugin.supports({ extension: '.md' })).toEqual({ supported: false, confidence: 0 });
  expect(await plugin.extract({ source: { kind: 'path', path: '/x' } })).toMatchObject({
    ok: false,
    error: { code: 'UNSUPPORTED' },
  });
});

test('a new list of tools counts at once', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  world.process.services?.toolsChanged([{ name: 'new' }]);
  expect(world.plugin.tools()).toEqual([{ name: 'new' }]);
  expect(await world.plugin.call('echo')).toMatchObject({ ok: false, error: { code: 'UNKNOWN_TOOL' } });
  const call = world.plugin.call('new');
  world.process.call.end();
  expect(await call).toMatchObject({ ok: true });
});

test('arguments are checked before anything is sent, in the order of the calls', async () => {
  const world = fakeWorld({
    traits: { concurrency: 5 },
    tools: [
      { name: 'free' },
      { name: 'typed', inputSchema: { properties: { a: { type: 'string' } }, required: ['a'] } },
    ],
  });
  await world.plugin.start();
  const calls = [
    world.plugin.call('typed', { a: 1 }),
    world.plugin.call('typed', { a: 'x' }),
    world.plugin.call('free', { b: 2 }),
  ];
  expect(await calls[0]).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
  await settled();
  expect(world.process.calls.map(({ request }) => request.args)).toEqual([{ a: 'x' }, { b: 2 }]);
  world.plugin.call('typed', { a: 'y' });
  expect(world.process.calls.at(-1)?.request.args).toEqual({ a: 'y' });
});

test('observers see the wire of processes that are started from then on', async () => {
  const world = fakeWorld();
  await world.plugin.start();
  expect(world.process.services?.observer).toBeUndefined();
  const seen: unknown[] = [];
  const end = world.plugin.observe((_, message) => void seen.push(message));
  await world.plugin.restart();
  const message = { kind: 'notification', method: 'x', params: undefined } as const;
  world.process.services?.observer?.('sent', message);
  end();
  world.process.services?.observer?.('sent', message);
  expect(seen).toEqual([message]);
});

test('a listener that throws keeps nobody else from hearing, and harms nothing', async () => {
  const { fleet, plugin } = fakeWorld();
  const heard: string[] = [];
  fleet.onEvent(() => {
    throw new Error('not now');
  });
  fleet.onEvent(({ kind }) => heard.push(kind));
  await plugin.start();
  fleet.add({ name: 'second', dialect: 'yams', start: { kind: 'program', command: 'fake' } });
  expect(heard).toContain('state-changed');
  expect(heard).toContain('plugin-added');
});

test('what is closed starts nothing more, also for those who still look for a tool', async () => {
  const { registry, world } = testRegistry({}, { spec: { lazy: true } });
  const { fleet, plugin } = world;
  const eager = fleet.add({ name: 'eager', dialect: 'yams', start: { kind: 'program', command: 'fake' } });
  for (const one of [plugin, eager]) registry.registerPlugin(one);
  const found = registry.resolve('nowhere', 'tool').catch((error: PluglotError) => error.code);
  await fleet.close();
  expect(await found).toBe('UNKNOWN_TOOL');
  await settled();
  expect(world.processes.every(({ isGone }) => isGone)).toBe(true);
  for (const one of [plugin, eager]) {
    await expect(one.start()).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
    await expect(one.restart()).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
    expect(await one.call('echo')).toMatchObject({ error: { code: 'PLUGIN_STOPPED' } });
    expect(one.status.state).toBe('stopped');
  }
  expect(() => fleet.add(plugin.spec)).toThrow('closed');
});
