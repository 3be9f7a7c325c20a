import { expect, test } from 'vitest';
import { keyReader } from './keys.ts';

function reader() {
  let time = 1000;
  const read = keyReader(() => time);
  return {
    press: (key: string, more: { isModified?: boolean; isTyping?: boolean } = {}) =>
      read({ key, isModified: false, isTyping: false, ...more }),
    later: (ms: number) => (time += ms),
  };
}

test('single keys', () => {
  const { press } = reader();
  expect(['/', '?', 'j', 'k', 'Escape', 'a', 'Enter'].map((key) => press(key))).toEqual([
    { kind: 'search' },
    { kind: 'help' },
    { kind: 'move', by: 1 },
    { kind: 'move', by: -1 },
    { kind: 'leave' },
    { kind: 'key', key: 'a' },
    undefined,
  ]);
});

test('g and a letter go to a page, if they come together', () => {
  const { press, later } = reader();
  expect(press('g')).toBeUndefined();
  expect(press('t')).toEqual({ kind: 'go', letter: 't' });
  expect(press('t')).toEqual({ kind: 'key', key: 't' });
  press('g');
  later(1600);
  expect(press('t')).toEqual({ kind: 'key', key: 't' });
});

test('letters in a field are text, and so are those with a modifier', () => {
  const { press } = reader();
  expect(press('j', { isTyping: true })).toBeUndefined();
  expect(press('k', { isModified: true })).toBeUndefined();
  expect(press('Escape', { isTyping: true })).toEqual({ kind: 'leave' });
});
