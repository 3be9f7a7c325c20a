import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test.each([Infinity, 2 ** 31, 1e12])('a delay of %d ms does not fire at once', (delayMs) => {
  vi.useFakeTimers();
  const callback = vi.fn<() => void>();
  systemClock.after(delayMs, callback);
  vi.advanceTimersByTime(24 * 24 * 3_600_000);
  expect(callback).not.toHaveBeenCalled();
});

test('a fraction of a millisecond is waited for, not cut off', () => {
  vi.useFakeTimers();
  const callback = vi.fn<() => void>();
  systemClock.after(1.2, callback);
  vi.advanceTimersByTime(1);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(callback).toHaveBeenCalledOnce();
});

test('what was called off is not called', () => {
  vi.useFakeTimers();
  const callback = vi.fn<() => void>();
  systemClock.after(10, callback)();
  vi.advanceTimersByTime(100);
  expect(callback).not.toHaveBeenCalled();
});

test('a waiting callback does not keep the process alive', () => {
  const setTimeout = vi.spyOn(globalThis, 'setTimeout');
  const callOff = systemClock.after(10, () => {});
  const timer = setTimeout.mock.results[0]?.value as NodeJS.Timeout;
  expect(timer.hasRef()).toBe(false);
  callOff();
});
