import { expect, test } from 'vitest';
import { isMoment, momentOf, picked } from './moments.ts';

test('a date is as it is picked', () => {
  expect(momentOf('date', '2026-11-17')).toBe('2026-11-17');
  expect(picked('date', '2026-11-17')).toBe('2026-11-17');
  expect(picked('date', 'tomorrow')).toBeUndefined();
});

test('a moment is picked in the time of the reader and sent in that of the world', () => {
  const sent = momentOf('date-time', '2026-11-17T12:30') ?? '';
  expect(sent).toMatch(/^2026-11-1[678]T\d\d:\d\d:00Z$/);
  expect(picked('date-time', sent)).toBe('2026-11-17T12:30');
  expect(picked('date-time', new Date(2026, 10, 17, 12, 30, 5).toISOString())).toBe('2026-11-17T12:30:05');
  expect(picked('date-time', 'yesterday')).toBeUndefined();
  expect(picked('date-time', '2026')).toBeUndefined();
  expect(momentOf('date-time', 'x')).toBeUndefined();
});

test('a time has seconds and a zone, as the format wants', () => {
  expect(momentOf('time', '12:30')).toBe('12:30:00Z');
  expect(momentOf('time', '12:30:05')).toBe('12:30:05Z');
  expect(picked('time', '12:30:00Z')).toBe('12:30:00');
  expect(picked('time', '12:30:00+02:00')).toBeUndefined();
});

test('an empty picker is a value that is left out', () => {
  for (const format of ['date', 'date-time', 'time'] as const) expect(momentOf(format, '')).toBeUndefined();
  expect(['date', 'email', 'constructor'].map(isMoment)).toEqual([true, false, false]);
});
