import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome } from '../../definition/outcome.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { CallStats, OTHERS, Latency, PerSecond } from './call-stats.ts';

const good: Outcome = { ok: true, durationMs: 1 };
const bad: Outcome = { ok: false, durationMs: 1, error: { code: 'TOOL_FAILED', message: 'no' } };

test('percentiles are right to a tenth, whatever was recorded', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 1 }),
      fc.constantFrom(0.5, 0.99),
      (times, part) => {
        const latency = new Latency(fakeClock());
        for (const ms of times) latency.record(ms);
        const exact = times.toSorted((one, other) => one - other)[Math.ceil(times.length * part) - 1] ?? 0;
        const found = latency.percentile(part);
        expect(found / exact).toBeGreaterThan(0.9);
        expect(found / exact).toBeLessThan(1.1);
      },
    ),
  );
});

test('odd times are taken too, and old ones are forgotten', () => {
  const clock = fakeClock();
  const latency = new Latency(clock);
  expect(latency.percentile(0.5)).toBe(0);
  for (const ms of [0, -1, NaN, Infinity, 1e300]) latency.record(ms);
  latency.record(5);
  clock.advance(6 * 60_000);
  expect(latency.percentile(0.5)).toBeGreaterThan(0);
  clock.advance(11 * 60_000);
  expect(latency.percentile(0.99)).toBe(0);
});

test('the last sixty seconds are counted, the newest last', () => {
  const clock = fakeClock();
  const seconds = new PerSecond(clock);
  expect(seconds.counts).toEqual(Array(60).fill(0));
  seconds.count();
  seconds.count();
  clock.advance(2000);
  seconds.count();
  expect(seconds.counts.slice(-3)).toEqual([2, 0, 1]);
  clock.advance(57_000);
  expect(seconds.counts).toEqual([2, 0, 1, ...Array<number>(57).fill(0)]);
  clock.advance(1000);
  expect(seconds.counts.slice(0, 2)).toEqual([0, 1]);
  clock.advance(1e9);
  expect(seconds.counts).toEqual(Array(60).fill(0));
});

test('calls are counted by plugin, and by tool and outcome; what was refused is apart', () => {
  const clock = fakeClock();
  const changed: string[] = [];
  const stats = new CallStats(clock, (plugin) => void changed.push(plugin));
  const make = (tool: string, outcome: Outcome, ms: number) => {
    const watch = stats.watch();
    watch.begun('p', tool);
    expect(stats.plugins.get('p')?.running).toBe(1);
    clock.advance(ms);
    watch.ended(outcome);
  };
  make('a', good, 3);
  make('a', bad, 700);
  make('b', good, 400_000);
  stats.watch().ended({ ok: false, durationMs: 0, error: { code: 'PERMISSION_DENIED', message: 'no' } });
  expect(stats.plugins.get('p')).toMatchObject({ calls: 3, failures: 1, running: 0 });
  expect(stats.plugins.get('p')?.durations).toEqual([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
  expect([...stats.tools].map(({ tool, outcomes }) => [tool, ...outcomes])).toEqual([
    ['a', ['ok', 1], ['TOOL_FAILED', 1]],
    ['b', ['ok', 1]],
  ]);
  expect([...stats.refused]).toEqual([['PERMISSION_DENIED', 1]]);
  expect(changed).toHaveLength(6);
});

test('names without number are counted together', () => {
  const stats = new CallStats(fakeClock());
  for (let number = 0; number < 5000; number += 1) {
    const watch = stats.watch();
    watch.begun(`p${number}`, 't');
    watch.ended(good);
  }
  expect(stats.plugins.size).toBe(1001);
  expect(stats.plugins.get(OTHERS)?.calls).toBe(4000);
  const tools = [...stats.tools];
  expect(tools).toHaveLength(2001);
  expect(tools.at(-1)).toMatchObject({ plugin: OTHERS, tool: OTHERS });
});
