import { expect, test } from 'vitest';
import { ItemIds } from './item-ids.ts';
import { stillTyped, typedText } from './typed-text.ts';
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

test('an item of a list is the same one when others go', () => {
  const ids = new ItemIds();
  expect(ids.of(3)).toEqual([0, 1, 2]);
  ids.remove(0);
  expect(ids.of(2)).toEqual([1, 2]);
  expect(ids.of(3)).toEqual([1, 2, 3]);
  expect(ids.of(1)).toEqual([1]);
  expect(ids.of(2)).toEqual([1, 4]);
});

test('a place is what is in it too, and is told of once', () => {
  expect(isWithin(['list', 0, 'a'], ['list'])).toBe(true);
  expect(isWithin(['list'], ['list'])).toBe(true);
  expect(isWithin(['list'], ['list', 0])).toBe(false);
  expect(isWithin(['lists'], ['list'])).toBe(false);
  const unreadable = [{ path: ['a'], problem: 'cannot be read' }];
  const others = [
    { path: ['a'], problem: 'is needed' },
    { path: ['b'], problem: 'is needed' },
  ];
  expect(allProblems(unreadable, others).map(({ problem }) => problem)).toEqual([
    'cannot be read',
    'is needed',
  ]);
});
