import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Signals } from './signals.ts';

test('all who follow a signal are told, once and in their order, through one listener', () => {
  const controller = new AbortController();
  const signals = new Signals();
  const told: number[] = [];
  for (let i = 0; i < 100; i++) signals.follow(controller.signal, () => told.push(i));
  expect(listeners(controller)).toBe(1);
  controller.abort();
  expect(told).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect(listeners(controller)).toBe(0);
});

test('whoever called it off is not told, and the last one takes the listener away', () => {
  const controller = new AbortController();
  const signals = new Signals();
  const told: string[] = [];
  const first = signals.follow(controller.signal, () => told.push('first'));
  const second = signals.follow(controller.signal, () => told.push('second'));
  first();
  first();
  expect(listeners(controller)).toBe(1);
  second();
  expect(listeners(controller)).toBe(0);
  const third = signals.follow(controller.signal, () => told.push('third'));
  second();
  controller.abort();
  third();
  expect(told).toEqual(['third']);
});

test('one who is called off by another that is told is not told', () => {
  const controller = new AbortController();
  const signals = new Signals();
  const told: string[] = [];
  let callOff = () => {};
  signals.follow(controller.signal, () => {
    told.push('first');
    callOff();
  });
  callOff = signals.follow(controller.signal, () => told.push('second'));
  controller.abort();
  expect(told).toEqual(['first']);
});

function listeners(controller: AbortController): number {
  return getEventListeners(controller.signal, 'abort').length;
}
