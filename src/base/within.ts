// A wait that ends.
import type { Clock } from './clock.ts';

/** What came instead of the value: its time was over. */
export const late = Symbol('late');

/**
 * The value, or `late` when it does not come in time. A failure in time is passed on; one that comes later is nobody's.
 */
export async function within<Value>(
  promise: PromiseLike<Value>,
  limitMs: number,
  clock: Clock,
): Promise<Value | typeof late> {
  let callOff = () => {};
  const tooLate = new Promise<typeof late>((resolve) => {
    callOff = clock.after(limitMs, () => resolve(late));
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    callOff();
  }
}
