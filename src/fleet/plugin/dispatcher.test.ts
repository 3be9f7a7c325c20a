// How calls come to a plugin: turns, limits, cancelling, pools.
import { expect, test } from 'vitest';
import { fakeWorld, settled, type WorldOptions } from '../../../test/support/fleet/fake-world.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Call } from '../../definition/call.ts';

test('a plugin gets one call at a time where its dialect says so', async () => {
  const world = await ready();
  const calls = [1, 2, 3].map((n) => world.plugin.call('echo', { n }));
  expect(world.plugin.status).toMatchObject({ state: 'busy', running: 1, waiting: 2 });
  for (const n of [1, 2, 3]) {
    expect(world.process.underWay.map(({ request }) => request.args)).toEqual([{ n }]);
    world.process.call.end();
  }
  expect(await Promise.all(calls)).toMatchObject([
    { data: { n: 1 } },
    { data: { n: 2 } },
    { data: { n: 3 } },
  ]);
  expect(world.plugin.status).toMatchObject({ state: 'ready', running: 0, waiting: 0 });
});

test.each([
  ['of the spec', { spec: { concurrency: 3 } }],
  ['of the dialect', { traits: { concurrency: 3 } }],
])('many at a time by the word %s', async (_, options) => {
  const world = await ready(options);
  for (let n = 0; n < 5; n++) world.plugin.call('echo', { n });
  expect(world.process.underWay).toHaveLength(3);
});

test.each([0, -1, Number.NaN, 0.5])('a concurrency of %d is one at a time', async (concurrency) => {
  const world = await ready({ spec: { concurrency, instances: concurrency } });
  for (let n = 0; n < 3; n++) world.plugin.call('echo', { n });
  expect(world.process.underWay).toHaveLength(1);
});

test('a limit that is no number is the usual one', async () => {
  const world = await ready({ limits: { callMs: 2000 } });
  const call = world.plugin.call('echo', {}, { timeoutMs: Number.NaN });
  world.clock.advance(2000);
  await settled();
  expect(await call).toMatchObject({ ok: false, error: { code: 'CALL_TIMEOUT' } });
});

test('instances share the calls, the least loaded first', async () => {
  const world = await ready({ spec: { instances: 3, concurrency: 2 } });
  await settled();
  const underWay = () => world.processes.map((process) => process.underWay.length);
  for (let n = 0; n < 3; n++) world.plugin.call('echo');
  expect(underWay()).toEqual([1, 1, 1]);
  for (let n = 0; n < 4; n++) world.plugin.call('echo');
  expect(underWay()).toEqual([2, 2, 2]);
  world.processes[1]!.call.end();
  expect(underWay()).toEqual([2, 2, 2]);
  world.processes[1]!.call.end();
  expect(underWay()).toEqual([2, 1, 2]);
  world.plugin.call('echo');
  expect(underWay()).toEqual([2, 2, 2]);
});

test('callers take turns', async () => {
  const world = await ready();
  const order = (caller: string, count: number) => {
    for (let n = 1; n <= count; n++) world.plugin.call('echo', { id: `${caller}${n}` }, { caller });
  };
  world.plugin.call('echo', { id: 'first' });
  order('a', 4);
  order('b', 2);
  order('c', 1);
  const served: unknown[] = [];
  while (world.process.underWay.length > 0) {
    served.push(world.process.call.request.args['id']);
    world.process.call.end();
  }
  expect(served).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('more calls than may wait are refused at once', async () => {
  const world = await ready({ spec: { queueLimit: 2 } });
  const [, , , refused] = [1, 2, 3, 4].map(() => world.plugin.call('echo'));
  expect(await refused).toMatchObject({ ok: false, error: { code: 'TOO_MANY_CALLS' } });
  expect(world.plugin.status).toMatchObject({ running: 1, waiting: 2 });
});

test('the limit of a call counts from sending', async () => {
  const world = await ready();
  const first = world.plugin.call('echo', {}, { timeoutMs: 50_000 });
  const second = world.plugin.call('echo', {}, { timeoutMs: 40_000 });
  await world.advance(30_000);
  world.process.call.end();
  expect(await first).toMatchObject({ ok: true, durationMs: 30_000 });
  await world.advance(39_000);
  world.process.call.end();
  expect(await second).toMatchObject({ ok: true, durationMs: 39_000 });
});

test('a call waits for its turn no longer than it may take', async () => {
  const world = await ready();
  world.plugin.call('echo', {}, { timeoutMs: 50_000 });
  const second = world.plugin.call('echo', {}, { timeoutMs: 1000 });
  await world.advance(1000);
  expect(await second).toMatchObject({
    ok: false,
    error: {
      code: 'CALL_TIMEOUT',
      message: expect.stringContaining('busy with other calls, and was not sent') as string,
    },
  });
  expect(world.plugin.status.waiting).toBe(0);
});

test('a call over its time is told so, with what was said, and the plugin may finish it', async () => {
  const world = await ready({ limits: { callMs: 2000 } });
  const call = world.plugin.call('echo');
  const wire = world.process.call;
  wire.stream('so ');
  wire.stream('far');
  const next = world.plugin.call('echo', { n: 2 }, { timeoutMs: 10_000 });
  await world.advance(2000);
  expect(await call).toMatchObject({
    ok: false,
    text: 'so far',
    durationMs: 2000,
    error: { code: 'CALL_TIMEOUT', message: expect.stringContaining('within 2000 ms') as string },
  });
  expect(wire.cancelled).toContain('within 2000 ms');
  expect(world.process.underWay).toHaveLength(1);
  wire.end();
  expect(world.process.call.request.args).toEqual({ n: 2 });
  world.process.call.end();
  expect(await next).toMatchObject({ ok: true });
  expect(world.processes).toHaveLength(1);
});

test('a result that is nested too deeply to be written down is a failure of the call', async () => {
  const world = await ready({});
  const nested = (levels: number): Json => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as Json;
  const call = world.plugin.call('echo');
  world.process.call.stream('so far');
  world.process.call.end({ ok: true, data: nested(501) });
  expect(await call).toMatchObject({
    ok: false,
    text: 'so far',
    error: {
      code: 'INVALID_RESPONSE',
      message: expect.stringContaining('with data that is nested more than 500 levels deep') as string,
    },
  });
  const next = world.plugin.call('echo');
  world.process.call.end({ ok: true, data: nested(500) });
  expect(await next).toMatchObject({ ok: true });
});

test('where the dialect demands it, a call over its time ends the process, at the cost of its budget', async () => {
  const world = await ready({
    traits: { fatalFailures: ['CALL_TIMEOUT'], concurrency: 2 },
    spec: { restart: { max: 1 } },
  });
  const call = world.plugin.call('echo', {}, { timeoutMs: 1000 });
  const other = world.plugin.call('echo');
  await world.advance(1000);
  expect(await call).toMatchObject({ ok: false, error: { code: 'CALL_TIMEOUT' } });
  expect(await other).toMatchObject({
    ok: false,
    error: {
      code: 'PLUGIN_EXITED',
      message: 'Plugin "fake" was ended: a call of "echo" took longer than 1000 ms.',
    },
  });
  await world.advance(300);
  expect(world.plugin.status).toMatchObject({ state: 'ready', restarts: 1 });
  void world.plugin.call('echo', {}, { timeoutMs: 1000 });
  await world.advance(2000);
  expect(world.plugin.status).toMatchObject({ state: 'failed', reason: { code: 'CRASH_LOOP' } });
});

test('a cancelled call is settled at once, keeps what was said, and leaves no trace when the plugin hears it', async () => {
  const world = await ready({ cancel: 'free' });
  const call = world.plugin.call('echo');
  const next = world.plugin.call('echo', { n: 2 });
  world.process.call.stream('half');
  call.cancel('No longer needed.');
  expect(await call).toMatchObject({
    ok: false,
    text: 'half',
    error: { code: 'CALL_CANCELLED', message: 'No longer needed.' },
  });
  expect(world.process.calls[0]).toMatchObject({ cancelled: 'No longer needed.' });
  expect(world.process.call.request.args).toEqual({ n: 2 });
  world.process.call.end();
  expect(await next).toMatchObject({ ok: true });
});

test('a plugin that cannot be told gets its time to finish, and others go on after it', async () => {
  const world = await ready();
  const call = world.plugin.call('echo');
  const next = world.plugin.call('echo', { n: 2 });
  const wire = world.process.call;
  call.cancel();
  expect(await call).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  await world.advance(4000);
  expect(world.process.underWay).toEqual([wire]);
  wire.end();
  world.process.call.end();
  expect(await next).toMatchObject({ ok: true, data: { n: 2 } });
  await world.advance(10_000);
  expect(world.processes).toHaveLength(1);
});

test('a plugin that does not finish what was cancelled is ended, which costs it nothing, and others go on', async () => {
  const world = await ready({ spec: { restart: { max: 0 } } });
  for (let n = 1; n <= 3; n++) {
    world.plugin.call('echo').cancel();
    const next = world.plugin.call('echo', { n });
    await world.advance(5050);
    expect(world.processes).toHaveLength(n + 1);
    world.process.call.end();
    expect(await next).toMatchObject({ ok: true, data: { n } });
  }
  expect(world.plugin.status).toMatchObject({ state: 'ready', restarts: 3 });
});

test.each(['waiting', 'sent'])('a signal cancels a call that is %s', async (phase) => {
  const world = await ready({ cancel: 'free' });
  if (phase === 'waiting') world.plugin.call('echo');
  const controller = new AbortController();
  const call = world.plugin.call('echo', {}, { signal: controller.signal });
  controller.abort();
  expect(await call).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  expect(world.plugin.status.waiting).toBe(0);
});

test('a signal that fired before sends nothing', async () => {
  const world = await ready();
  const call = world.plugin.call('echo', {}, { signal: AbortSignal.abort() });
  expect(await call).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  expect(world.process.calls).toEqual([]);
});

test('a cancel after the end changes nothing', async () => {
  const world = await ready();
  const call = world.plugin.call('echo');
  world.process.call.end();
  call.cancel();
  expect(await call).toMatchObject({ ok: true });
  expect(world.process.calls[0]!.cancelled).toBeUndefined();
});

test('calls to a stopped plugin fail, those under way and waiting too', async () => {
  const world = await ready();
  const calls = [world.plugin.call('echo'), world.plugin.call('echo')];
  await world.plugin.stop();
  calls.push(world.plugin.call('echo'));
  for (const call of calls)
    expect(await call).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
  await world.plugin.start();
  const call = world.plugin.call('echo');
  world.process.call.end();
  expect(await call).toMatchObject({ ok: true });
});

test('calls wait for a restart, but not longer than they may', async () => {
  const world = await ready({ spec: { restart: { firstDelayMs: 5000 } } });
  world.process.exit(1);
  await settled();
  const patient = world.plugin.call('echo');
  const hasty = world.plugin.call('echo', {}, { timeoutMs: 1000 });
  await world.advance(1000);
  expect(await hasty).toMatchObject({
    ok: false,
    error: { code: 'CALL_TIMEOUT', message: expect.stringContaining('which is in state backoff') as string },
  });
  await world.advance(4000);
  world.process.call.end();
  expect(await patient).toMatchObject({ ok: true });
});

test('calls that wait for the first start are told why it failed', async () => {
  const world = fakeWorld({ onStart: (process) => process.exit(9) });
  expect(await world.plugin.call('echo')).toMatchObject({
    ok: false,
    error: { code: 'PLUGIN_EXITED', message: 'Plugin "fake" exited with code 9.' },
  });
});

test('a lazy plugin rests until its first call, and again when nobody uses it', async () => {
  const world = fakeWorld({ spec: { lazy: true, idleStopMs: 10_000 } });
  await world.fleet.start();
  expect(world.processes).toEqual([]);
  const call = world.plugin.call('echo');
  await settled();
  await world.advance(20_000);
  world.process.call.end();
  expect(await call).toMatchObject({ ok: true });
  await world.advance(9000);
  const second = world.plugin.call('echo');
  world.process.call.end();
  await second;
  await world.advance(9900);
  expect(world.plugin.status.state).toBe('ready');
  await world.advance(200);
  expect(world.plugin.status.state).toBe('stopped');
  const third = world.plugin.call('echo');
  await settled();
  expect(world.processes).toHaveLength(2);
  world.process.call.end();
  expect(await third).toMatchObject({ ok: true });
});

test('a plugin that was started and never used rests too', async () => {
  const world = await ready({ spec: { idleStopMs: 10_000 } });
  await world.advance(10_100);
  expect(world.plugin.status.state).toBe('stopped');
});

test('a plugin that floods a call with words is given up', async () => {
  const world = await ready();
  const call = world.plugin.call('echo');
  const wire = world.process.call;
  for (let n = 0; n < 65; n++) wire.stream('x'.repeat(1024 * 1024));
  expect(await call).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
});

test('a dialect that throws fails the call, not the host', async () => {
  const world = await ready();
  const end = world.process;
  Object.defineProperty(end.calls, 'push', {
    value: () => {
      throw new Error('a bug');
    },
  });
  expect(await world.plugin.call('echo')).toMatchObject({
    ok: false,
    error: { code: 'INTERNAL', message: 'a bug' },
  });
  expect(world.plugin.status).toMatchObject({ state: 'ready', running: 0 });
});

test('a plugin that takes no messages any more is ended, though it runs', async () => {
  const world = await ready();
  const call = world.plugin.call('echo');
  world.process.call.end({ ok: false, error: { code: 'PIPE_ENDED', message: 'nobody reads' } });
  await world.advance(2000);
  expect(await call).toMatchObject({
    ok: false,
    error: {
      code: 'PLUGIN_EXITED',
      message: 'Plugin "fake" takes no messages any more, though it runs; it was ended.',
    },
  });
  await world.advance(300);
  expect(world.plugin.status).toMatchObject({ state: 'ready', restarts: 1 });
});

test('where the dialect demands it, a missing acknowledgement ends the process', async () => {
  const world = await ready({ traits: { fatalFailures: ['ACK_TIMEOUT'] } });
  const call = world.plugin.call('echo');
  world.process.call.end({ ok: false, error: { code: 'ACK_TIMEOUT', message: 'no ack within 2000 ms' } });
  expect(await call).toMatchObject({ ok: false, error: { code: 'ACK_TIMEOUT' } });
  await world.advance(300);
  expect(world.plugin.status).toMatchObject({ state: 'ready', restarts: 1 });
});

test('ids are short, different, and of one fleet', async () => {
  const world = await ready({ traits: { concurrency: 10 }, random: () => 0.5 });
  const ids = [1, 2, 3].map(() => world.plugin.call('echo').id);
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[a-z0-9]{6}-\d+$/);
});

test('events are heard as they come, by any number of listeners', async () => {
  const world = await ready();
  const call = world.plugin.call('echo');
  const heard = [texts(call), texts(call)];
  world.process.call.stream('a');
  await settled();
  world.process.call.stream('b');
  world.process.call.end();
  expect(await Promise.all(heard)).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(await texts(call)).toEqual(['a', 'b']);
});

async function texts(call: Call): Promise<string[]> {
  const all: string[] = [];
  for await (const event of call) if (event.kind === 'text') all.push(event.text);
  return all;
}

async function ready(options: WorldOptions = {}) {
  const world = fakeWorld(options);
  await world.plugin.start();
  return world;
}

test.each<[string, () => JsonObject]>([
  ['what cannot be copied', () => ({ a: () => 1 }) as unknown as JsonObject],
  ['a getter that throws', () => Object.defineProperty({}, 'b', { enumerable: true, get: throwing })],
])('arguments with %s fail their own call alone, also after a wait', async (_, make) => {
  const inputSchema = {
    type: 'object',
    properties: { a: { default: 1 }, b: { type: 'string' } },
  };
  const world = await ready({ tools: [{ name: 'echo', inputSchema }] });
  const waitsForCompiler = await world.plugin.call('echo', make());
  const underWay = world.plugin.call('echo', {});
  const waits = world.plugin.call('echo', make());
  const next = world.plugin.call('echo', { b: 'next' });
  world.process.call.end();
  world.process.call.end();
  expect([waitsForCompiler, await underWay, await waits, await next]).toMatchObject([
    { ok: false, error: { code: 'UNENCODABLE' } },
    { ok: true },
    { ok: false, error: { code: 'UNENCODABLE' } },
    { ok: true, data: { a: 1, b: 'next' } },
  ]);
  expect(await world.plugin.call('echo', make())).toMatchObject({ error: { code: 'UNENCODABLE' } });
});

function throwing(): never {
  throw new Error('no');
}

test('a restart sends nothing of what waits to the process that ends', async () => {
  const world = await ready({ cancel: 'free' });
  const calls = [1, 2, 3].map((n) => world.plugin.call('echo', { n }));
  const first = world.process;
  await world.plugin.restart();
  expect(first.calls).toHaveLength(1);
  expect(await calls[0]).toMatchObject({ ok: false, error: { code: 'PLUGIN_STOPPED' } });
  world.process.call.end();
  world.process.call.end();
  expect(await Promise.all(calls.slice(1))).toMatchObject([{ data: { n: 2 } }, { data: { n: 3 } }]);
});

test('a plugin whose schema is too deep to be written down can be restarted', async () => {
  let inputSchema: JsonObject = {};
  for (let depth = 0; depth < 100_000; depth++) inputSchema = { not: inputSchema };
  const world = await ready({ tools: [{ name: 'echo', inputSchema }] });
  await world.plugin.restart();
  expect(await world.plugin.call('echo')).toMatchObject({ ok: false, error: { code: 'PROTOCOL_VIOLATION' } });
  await world.plugin.restart();
  expect(world.plugin.status.state).toBe('ready');
});
