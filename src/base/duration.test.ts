import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, LONGEST_DURATION_MS, parseDuration } from './units.ts';

test.each([
  ['30s', 30_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['100ms', 100],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['1.s', 1000],
  ['0s', 0],
  ['0h0m0s', 0],
  ['1us', 0.001],
  ['1\u00b5s', 0.001],
  ['1\u03bcs', 0.001],
  ['1ns', 0.000001],
  ['0.1ms', 0.1],
  ['1s1h1s', 3_602_000],
  ['007s', 7000],
  ['0.3s', 300],
  ['1.0000000009s', 1000],
  ['2562047h47m16.854775807s', LONGEST_DURATION_MS + 0.775807],
])('%s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toEqual({ ms });
});

test.each([
  ['', 'is not a duration'],
  ['5', 'has a number without a unit'],
  ['0', 'has a number without a unit'],
  ['1h30', 'has a number without a unit'],
  ['1.5', 'has a number without a unit'],
  ['-5s', 'is below zero'],
  ['5s ', 'is not a duration'],
  [' 5s', 'is not a duration'],
  ['5 s', 'is not a duration'],
  ['5sec', 'is not a duration'],
  ['5S', 'is not a duration'],
  ['1d', 'is not a duration'],
  ['s', 'is not a duration'],
  ['.s', 'is not a duration'],
  ['1h-30m', 'is not a duration'],
  ['1e3s', 'is not a duration'],
  ['١s', 'is not a duration'],
  ['Infinity', 'is not a duration'],
  ['2562048h', 'is longer than 292 years'],
])('%j is refused: it %s', (text, problem) => {
  expect(problemOf(text)).toContain(problem);
});

test.each([
  ['parts', '100h'.repeat(1_000_000)],
  ['digits', `${'9'.repeat(1_000_000)}s`],
])('millions of %s are refused quickly', (_, text) => {
  expect(problemOf(text)).toContain('is longer than 292 years');
});

test('a problem says what was expected', () => {
  expect(parseDuration('90')).toEqual({
    problem: '"90" has a number without a unit; expected a duration such as "30s", "5m", "1h30m" or "100ms"',
  });
  expect(JSON.stringify(parseDuration('x'.repeat(10_000))).length).toBeLessThan(200);
});

test.each([
  [0, '0s'],
  [30_000, '30s'],
  [300_000, '5m'],
  [5_400_000, '1h30m'],
  [100, '100ms'],
  [1500, '1s500ms'],
  [0.001, '1us'],
  [0.1, '100us'],
  [86_400_000, '24h'],
])('%d ms is written %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([-1, NaN, Infinity, 1e16])('%d ms cannot be written', (ms) => {
  expect(() => formatDuration(ms)).toThrow(RangeError);
});

test('what is written is read as the same, to the nanosecond', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e15 }), (nanoseconds) => {
      const ms = nanoseconds / 1e6;
      expect(parseDuration(formatDuration(ms))).toEqual({ ms });
    }),
  );
});

test('any number of milliseconds that can be written can be read', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: LONGEST_DURATION_MS, noNaN: true }), (ms) => {
      const back = parseDuration(formatDuration(ms));
      if ('problem' in back) throw new Error(back.problem);
      expect(Math.abs(back.ms - ms)).toBeLessThanOrEqual(Math.max(1e-6, ms * 1e-15));
    }),
  );
});

test('whatever the text, the answer is a duration or a problem', () => {
  const pieces = fc.constantFrom('1', '.', '5', 'h', 'm', 's', 'ms', 'us', 'ns', '-', ' ', '0', 'µs', '\n');
  const nearly = fc.array(pieces).map((all) => all.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string(), nearly), (text) => {
      const read = parseDuration(text);
      expect('problem' in read ? read.problem !== '' : read.ms >= 0).toBe(true);
    }),
  );
});

function problemOf(text: string): string | undefined {
  const read = parseDuration(text);
  return 'problem' in read ? read.problem : undefined;
}
