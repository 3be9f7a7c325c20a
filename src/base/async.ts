// Promises: time limits, deferred ones, and work done one piece at a time.
import type { Clock } from './clock.ts';

/** Given instead of the value when the time limit is reached first. */
export const late = Symbol('late');

/**
 * The value, or `late` after the time limit. A rejection within the limit is passed on; a later one is ignored.
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

// A promise that is settled from outside, as Promise.withResolvers gives on newer versions of Node.

export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: Error): void;
}

/** A rejection without a listener is not reported as unhandled. */
export function deferred<Value>(): Deferred<Value> {
  let resolve!: (value: Value) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Value>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

// Work on a shared resource: one piece after the other, in the order of the calls.

/** Runs the work after all earlier work has ended, and settles as it does. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function oneByOne(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    // The caller gets the failure; the next piece starts in any case.
    last = mine.catch(() => {});
    return mine;
  };
}

// Work that blocks, such as starting a process: one piece per iteration of the event loop, so that other events are handled between two.

/** Resolves when it is the caller's turn; turns come in the order of the calls. */
export type TakeTurn = () => Promise<void>;

export function createTurns(): TakeTurn {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const mine = last;
    // The next turn comes one iteration later, after the input of this one is handled.
    last = mine.then(() => new Promise((resolve) => setImmediate(resolve)));
    return mine;
  };
}

/** Runs work at once while this turn of the event loop has time left, else in a later turn, in the order of the calls. */
export type InTurns = <Result>(work: () => Result | Promise<Result>) => Result | Promise<Result>;

/** @param limitMs how long the work of one turn may take together; one piece of work is never interrupted */
export function createInTurns(limitMs: number, now: () => number = () => performance.now()): InTurns {
  const takeTurn = createTurns();
  let waiting = 0;
  let spentMs = 0;
  const timed = <Result>(work: () => Result): Result => {
    const start = now();
    // The first work of a turn: the next turn begins with a fresh limit.
    if (spentMs === 0) setImmediate(() => (spentMs = 0));
    try {
      return work();
    } finally {
      spentMs += Math.max(now() - start, Number.EPSILON);
    }
  };
  return (work) => {
    if (waiting === 0 && spentMs < limitMs) return timed(work);
    waiting += 1;
    return takeTurn().then(() => {
      waiting -= 1;
      return timed(work);
    });
  };
}

/** For values that may be available at once, without a promise. */
export function isPromise<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
