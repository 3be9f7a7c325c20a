import { expect, test } from 'vitest';
import { RowIds } from './collections.tsx';
import { isDateFormat, optionLabel, pickerValue, sentDate, stillTyped, typedText } from './inputs.tsx';
import { allProblems, isWithin } from './value.ts';

test('what was typed is shown for as long as the value is the one that it was typed for', () => {
  const readable = typedText('{ "a":1 }', { value: { a: 1 } }, undefined);
  expect(stillTyped(readable, { a: 1 })?.text).toBe('{ "a":1 }');
  expect(stillTyped(readable, { a: 2 })).toBeUndefined();
  expect(stillTyped(readable, undefined)).toBeUndefined();
  const unreadable = typedText('{ "a', { problem: 'no end' }, { a: 1 });
  expect(stillTyped(unreadable, { a: 1 })).toMatchObject({ text: '{ "a', problem: 'no end' });
  expect(stillTyped(unreadable, {})).toBeUndefined();
  expect(stillTyped(undefined, 1)).toBeUndefined();
});

test('invisible characters in choices are written out', () => {
  expect(optionLabel('a\u202Eb\u200Bc')).toBe('a\\x202eb\\u{200b}c');
  expect(optionLabel(['x\u200B'])).toBe('["x\\u{200b}"]');
  expect(optionLabel('x', 'y\u202E')).toBe('y\\x202e');
});

test('an item of a list is the same one when others go', () => {
  const ids = new RowIds();
  expect(ids.of(3)).toEqual([0, 1, 2]);
  ids.remove(0);
  expect(ids.of(2)).toEqual([1, 2]);
  expect(ids.of(3)).toEqual([1, 2, 3]);
  expect(ids.of(1)).toEqual([1]);
  expect(ids.of(2)).toEqual([1, 4]);
});

test('a path includes what is inside of it, and has one problem', () => {
  expect(isWithin(['list', 0, 'a'], ['list'])).toBe(true);
  expect(isWithin(['list'], ['list'])).toBe(true);
  expect(isWithin(['list'], ['list', 0])).toBe(false);
  expect(isWithin(['lists'], ['list'])).toBe(false);
  const unreadable = [{ path: ['a'], problem: 'cannot be read' }];
  const others = [
    { path: ['a'], problem: 'is required' },
    { path: ['b'], problem: 'is required' },
  ];
  expect(allProblems(unreadable, others).map(({ problem }) => problem)).toEqual([
    'cannot be read',
    'is required',
  ]);
});

test('a date is as it is picked', () => {
  expect(sentDate('date', '2026-11-17')).toBe('2026-11-17');
  expect(pickerValue('date', '2026-11-17')).toBe('2026-11-17');
  expect(pickerValue('date', 'tomorrow')).toBeUndefined();
});

test('a moment is picked in the time of the reader and sent in that of the world', () => {
  const sent = sentDate('date-time', '2026-11-17T12:30') ?? '';
  expect(sent).toMatch(/^2026-11-1[678]T\d\d:\d\d:00Z$/);
  expect(pickerValue('date-time', sent)).toBe('2026-11-17T12:30');
  expect(pickerValue('date-time', new Date(2026, 10, 17, 12, 30, 5).toISOString())).toBe(
    '2026-11-17T12:30:05',
  );
  expect(pickerValue('date-time', 'yesterday')).toBeUndefined();
  expect(pickerValue('date-time', '2026')).toBeUndefined();
  expect(sentDate('date-time', 'x')).toBeUndefined();
});

test('a time has seconds and a zone, as the format wants', () => {
  expect(sentDate('time', '12:30')).toBe('12:30:00Z');
  expect(sentDate('time', '12:30:05')).toBe('12:30:05Z');
  expect(pickerValue('time', '12:30:00Z')).toBe('12:30:00');
  expect(pickerValue('time', '12:30:00+02:00')).toBeUndefined();
});

test('an empty picker is a value that is left out', () => {
  for (const format of ['date', 'date-time', 'time'] as const) expect(sentDate(format, '')).toBeUndefined();
  expect(['date', 'email', 'constructor'].map(isDateFormat)).toEqual([true, false, false]);
});
