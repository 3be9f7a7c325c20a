import { expect, test } from 'vitest';
import { keyReader, type KeyPlace } from './keys.ts';

function reader() {
  let now = 0;
  const read = keyReader(() => now);
  return {
    press: (key: string, place: KeyPlace = 'free', isModified = false) => read({ key, place, isModified }),
    wait: (ms: number) => (now += ms),
  };
}

test('g and a letter go to a page, soon after each other', () => {
  const { press, wait } = reader();
  expect(press('g')).toBeUndefined();
  expect(press('t')).toEqual({ kind: 'go', letter: 't' });
  expect(press('t')).toEqual({ kind: 'key', key: 't' });
  press('g');
  wait(1501);
  expect(press('t')).toEqual({ kind: 'key', key: 't' });
});

test('keys of everywhere', () => {
  const { press } = reader();
  expect(press('/')).toEqual({ kind: 'search' });
  expect(press('?')).toEqual({ kind: 'help' });
  for (const key of ['j', 'ArrowDown']) expect(press(key, 'row')).toEqual({ kind: 'move', by: 1 });
  for (const key of ['k', 'ArrowUp']) expect(press(key)).toEqual({ kind: 'move', by: -1 });
  expect(press('End', 'row')).toEqual({ kind: 'move', by: 1e9 });
  expect(press('Home', 'row')).toEqual({ kind: 'move', by: -1e9 });
  expect(press('F5')).toBeUndefined();
});

test('a search leads into what it found', () => {
  const { press } = reader();
  expect(press('Enter', 'search')).toEqual({ kind: 'open-first' });
  expect(press('ArrowDown', 'search')).toEqual({ kind: 'move', by: 1 });
  expect(press('ArrowUp', 'search')).toBeUndefined();
  expect(press('j', 'search')).toBeUndefined();
});

test('what has arrows of its own keeps them', () => {
  const { press } = reader();
  expect(press('ArrowDown', 'other')).toBeUndefined();
  expect(press('j', 'other')).toEqual({ kind: 'move', by: 1 });
});

test('letters typed into a field are text, and Escape leaves it', () => {
  const { press } = reader();
  for (const place of ['field', 'search'] as const) {
    expect(press('g', place)).toBeUndefined();
    expect(press('/', place)).toBeUndefined();
    expect(press('Escape', place)).toEqual({ kind: 'leave' });
  }
  expect(press('Enter', 'field')).toBeUndefined();
});

test('combinations are those of the browser', () => {
  const { press } = reader();
  expect(press('k', 'free', true)).toBeUndefined();
  expect(press('ArrowDown', 'row', true)).toBeUndefined();
});
