import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { PluglotError } from '../../base/error.ts';
import { fakeClock, type FakeClock } from '../../testing/fake-clock.ts';
import { watch, type WatchedPlugin, type WatchLimits } from './watchdog.ts';

const limits: WatchLimits = { pingEveryMs: 2000, pingMs: 1000, liveness: 'lenient' };

test('an idle plugin that misses two pings in a row is ended', async () => {
  const { plugin, advance } = watched();
  plugin.answers = false;
  await advance(2000);
  expect(plugin.pings).toBe(1);
  await advance(2000);
  expect(plugin.pings).toBe(2);
  await advance(999);
  expect(plugin.killed).toBeUndefined();
  await advance(1);
  expect(plugin.killed).toMatchObject({ code: 'WATCHDOG_KILLED' });
});

test('one missed ping between answered ones is none', async () => {
  const { plugin, advance } = watched();
  for (let i = 0; i < 10; i++) {
    plugin.answers = i % 2 === 0;
    await advance(2000);
  }
  expect(plugin.pings).toBe(10);
  expect(plugin.killed).toBeUndefined();
});

test('a plugin that is busy is not asked, for as long as its calls take', async () => {
  const { plugin, advance } = watched();
  plugin.answers = false;
  plugin.busy = true;
  await advance(60_000);
  expect(plugin.pings).toBe(0);
  expect(plugin.killed).toBeUndefined();
});

test('a ping that is missed because a call came is no miss', async () => {
  const { plugin, advance } = watched();
  plugin.answers = false;
  for (let i = 0; i < 10; i++) {
    await advance(2000);
    plugin.busy = true;
    await advance(1000);
    plugin.busy = false;
  }
  expect(plugin.killed).toBeUndefined();
});

test('strict: a ping that is missed during a call counts', async () => {
  const { plugin, advance } = watched({ ...limits, liveness: 'strict' });
  plugin.answers = false;
  plugin.busy = true;
  plugin.heard = true;
  await advance(5000);
  expect(plugin.killed).toMatchObject({ code: 'WATCHDOG_KILLED' });
});

test('whatever comes from a plugin is a sign of life', async () => {
  const { plugin, advance } = watched();
  plugin.answers = false;
  for (let i = 0; i < 10; i++) {
    await advance(2500);
    plugin.heard = true;
  }
  expect(plugin.killed).toBeUndefined();
});

test('a ping that failed late says that this process was late', async () => {
  const { plugin, clock, advance } = watched();
  plugin.answers = false;
  plugin.failsBy = 'hand';
  for (let i = 0; i < 3; i++) {
    await advance(2000);
    clock.advance(5000);
    plugin.fail();
    await advance(1);
  }
  expect(plugin.killed).toBeUndefined();
});

test('a stopped process is ended at the second look', async () => {
  const { plugin, advance } = watched();
  plugin.stopped = true;
  await advance(2000);
  expect(plugin.killed).toBeUndefined();
  await advance(1000);
  expect(plugin.killed).toMatchObject({ code: 'WATCHDOG_KILLED' });
});

test.each([
  ['also while it is busy', { busy: true }, limits],
  ['also where liveness is off', {}, { ...limits, liveness: 'off' }],
  ['also where there are no pings', {}, { ...limits, pingEveryMs: 0 }],
  ['also where pings are rare and slow', { busy: true }, { ...limits, pingEveryMs: 30_000, pingMs: 8000 }],
] as const)('a stopped process is found, %s', async (_, state, given) => {
  const { plugin, advance } = watched(given);
  Object.assign(plugin, state, { stopped: true });
  await advance(3000);
  expect(plugin.killed).toMatchObject({ code: 'WATCHDOG_KILLED' });
});

test('one that continues before the second look is left alone', async () => {
  const { plugin, advance } = watched();
  for (let i = 0; i < 5; i++) {
    plugin.stopped = true;
    await advance(2000);
    plugin.stopped = false;
    await advance(1000);
  }
  expect(plugin.killed).toBeUndefined();
});

test.each([{ ...limits, liveness: 'off' } as const, { ...limits, pingEveryMs: 0 }])(
  'nobody is pinged with %j',
  async (given) => {
    const { plugin, advance } = watched(given);
    await advance(20_000);
    expect(plugin.pings).toBe(0);
  },
);

test('looks between two pings ask nothing', async () => {
  const { plugin, advance } = watched({ ...limits, pingEveryMs: 5000 });
  await advance(4999);
  expect(plugin.pings).toBe(0);
  await advance(1);
  expect(plugin.pings).toBe(1);
  await advance(4999);
  expect(plugin.pings).toBe(1);
  await advance(1);
  expect(plugin.pings).toBe(2);
});

test('when it is over nothing is asked and nobody is ended', async () => {
  const { plugin, end, advance, clock } = watched();
  plugin.answers = false;
  await advance(4500);
  end();
  await advance(20_000);
  expect(plugin.killed).toBeUndefined();
  expect(plugin.pings).toBe(2);
  expect(clock.waiting).toBe(0);
});

function watched(given: WatchLimits = limits) {
  const clock = fakeClock();
  const plugin = new FakePlugin(clock);
  const end = watch(plugin, given, clock);
  const advance = async (ms: number) => {
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(Math.min(100, left));
      await nextRound();
    }
  };
  return { plugin, clock, end, advance };
}

class FakePlugin implements WatchedPlugin {
  readonly name = 'it';
  answers = true;
  failsBy = 'time';
  busy = false;
  heard = false;
  stopped = false;
  pings = 0;
  killed: PluglotError | undefined;
  fail = () => {};
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  ping(limitMs: number): Promise<void> {
    this.pings += 1;
    if (this.answers) return Promise.resolve();
    return new Promise((_, reject) => {
      this.fail = () => reject(new Error('no answer'));
      if (this.failsBy === 'time') this.#clock.after(limitMs, this.fail);
    });
  }

  isBusy(): boolean {
    return this.busy;
  }

  isStopped(): boolean {
    return this.stopped;
  }

  wasHeard(): boolean {
    const { heard } = this;
    this.heard = false;
    return heard;
  }

  kill(reason: PluglotError): void {
    this.killed = reason;
  }
}
