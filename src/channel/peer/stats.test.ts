import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Histogram } from './stats.ts';

test('is all zero when nothing was recorded', () => {
  expect(new Histogram().summary()).toEqual({ count: 0, meanMs: 0, p50Ms: 0, p90Ms: 0, p99Ms: 0, maxMs: 0 });
});

test('gives back a single value within its bucket', () => {
  const { count, meanMs, p50Ms, p99Ms, maxMs } = summaryOf([12.5]);
  expect({ count, meanMs, maxMs }).toEqual({ count: 1, meanMs: 12.5, maxMs: 12.5 });
  expect(Math.abs(p50Ms - 12.5)).toBeLessThan(0.07 * 12.5);
  expect(p99Ms).toBe(p50Ms);
});

test('every quantile is within 7 % of the exact one, or a microsecond', () => {
  const latencyMs = fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0.01, max: 100, noNaN: true }),
    fc.double({ min: 1, max: 30 * 60_000, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(latencyMs, { minLength: 1, maxLength: 500 }), (values) => {
      const summary = summaryOf(values);
      const sorted = values.toSorted((a, b) => a - b);
      for (const [share, measured] of [
        [0.5, summary.p50Ms],
        [0.9, summary.p90Ms],
        [0.99, summary.p99Ms],
      ] as const) {
        const exact = sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
        expect(Math.abs(measured - exact)).toBeLessThanOrEqual(Math.max(0.07 * exact, 0.001));
      }
      expect(summary.maxMs).toBe(sorted.at(-1));
      expect(summary.count).toBe(values.length);
    }),
  );
});

test('quantiles rise and stay under the largest value', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1 }), (values) => {
      const { p50Ms, p90Ms, p99Ms, maxMs } = summaryOf(values);
      expect([p50Ms, p90Ms, p99Ms, maxMs]).toEqual([p50Ms, p90Ms, p99Ms, maxMs].toSorted((a, b) => a - b));
    }),
  );
});

test('longer than half an hour counts as half an hour', () => {
  const { p50Ms, maxMs } = summaryOf([1e10]);
  expect(maxMs).toBe(1e10);
  expect(p50Ms).toBeGreaterThan(30 * 60_000);
});

test('an answer that is older than its question counts as one at once', () => {
  const { count, p50Ms, p99Ms } = summaryOf([-5, 1, 1]);
  expect(count).toBe(3);
  expect(p50Ms).toBeCloseTo(1, 0);
  expect(p99Ms).toBeCloseTo(1, 0);
});

function summaryOf(values: readonly number[]) {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.summary();
}
