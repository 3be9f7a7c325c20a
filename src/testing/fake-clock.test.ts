import { expect, test } from 'vitest';
import { fakeClock } from './fake-clock.ts';

test('calls what falls due, in order and each at its own moment', () => {
  const clock = fakeClock(100);
  const calls: string[] = [];
  clock.after(20, () => calls.push(`second at ${clock.now()}`));
  clock.after(10, () => {
    calls.push(`first at ${clock.now()}`);
    clock.after(5, () => calls.push(`nested at ${clock.now()}`));
  });
  clock.after(50, () => calls.push('too late'));
  clock.advance(30);
  expect(calls).toEqual(['first at 110', 'nested at 115', 'second at 120']);
  expect(clock.now()).toBe(130);
  expect(clock.waiting).toBe(1);
});

test('what was called off is not called', () => {
  const clock = fakeClock();
  const callOff = clock.after(10, () => expect.fail('it was called off'));
  callOff();
  clock.advance(100);
  expect(clock.waiting).toBe(0);
});
