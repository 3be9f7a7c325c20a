import { expect, test } from 'vitest';
import {
  clockTime,
  counted,
  dayAndTime,
  grouped,
  longDuration,
  nextProgress,
  progressText,
  shortDuration,
  shortLatency,
  shortNumber,
  shortSize,
} from './format.ts';

test('durations are short', () => {
  const shown = [0, 0.4, 1, 850.4, 1240, 59_999, 60_000, 3_600_000, 90_000_000].map(shortDuration);
  expect(shown).toEqual(['<1 ms', '0.4 ms', '1 ms', '850 ms', '1.2 s', '59 s', '1 min', '1 h', '1 d']);
  expect([0.001, 0.034, 9.96].map(shortDuration)).toEqual(['<1 ms', '0.03 ms', '10 ms']);
  expect(shortDuration(undefined)).toBe('–');
  expect(shortDuration(Number.NaN)).toBe('–');
  expect(shortDuration(-1)).toBe('–');
  expect([0, 3.2].map(shortLatency)).toEqual(['–', '3.2 ms']);
});

test('what runs on has two units', () => {
  expect([5000, 252_000, 3_720_000, 90_000_000, -5].map(longDuration)).toEqual([
    '5 s',
    '4 min 12 s',
    '1 h 2 min',
    '1 d 1 h',
    '0 s',
  ]);
});

test('times are of the reader’s own day', () => {
  const at = new Date(2026, 10, 7, 9, 4, 5, 6).getTime();
  expect(clockTime(at)).toBe('09:04:05.006');
  expect(clockTime(at, false)).toBe('09:04:05');
  expect(dayAndTime(at)).toBe('2026-11-07 09:04:05');
  expect(clockTime(Number.NaN)).toBe('–');
  expect(dayAndTime(Number.NaN)).toBe('–');
});

test('sizes and counts', () => {
  expect([0, 999, 4100, 2_000_000].map(shortSize)).toEqual(['0 B', '999 B', '4.1 kB', '2.0 MB']);
  expect([1, 1234, 1_234_567].map(grouped)).toEqual(['1', '1\u{202f}234', '1\u{202f}234\u{202f}567']);
  expect(counted(1, 'call')).toBe('1 call');
  expect(counted(2, 'entry', 'entries')).toBe('2 entries');
});

test('numbers are short', () => {
  expect([3.000001, 2.5, 0.0714, -1234.5, 12_345].map(shortNumber)).toEqual([
    '3',
    '2.5',
    '0.071',
    '-1\u{202f}234.5',
    '12\u{202f}345',
  ]);
});

test('of how much it is stays known', () => {
  const first = nextProgress(undefined, { progress: 3, total: 5, message: 'step' });
  const second = nextProgress(first, { progress: 3.000001, message: 'word' });
  expect(second).toEqual({ progress: 3.000001, total: 5, message: 'word' });
  expect(progressText(second)).toEqual({ text: '3 of 5', part: 3.000001 / 5 });
  expect(nextProgress(undefined, { progress: 1 })).toEqual({ progress: 1 });
});

test('numbers are short', () => {
  expect(progressText({ progress: 1234.5678 }).text).toBe('1\u{202f}234.57');
  expect(progressText({ progress: 0.25, total: 1 }).text).toBe('25 %');
  expect(progressText({ progress: 42, total: 100 })).toEqual({ text: '42 %', part: 0.42 });
  expect(progressText({ progress: 9, total: 3 }).part).toBe(1);
  expect(progressText({ progress: 9, total: 0 })).toEqual({ text: '9' });
});
