// A timer that blames nobody for the lateness of this process itself.
import type { Clock } from './clock.ts';

/** Timers are a little late on any busy machine. */
const LATE_MS = 100;

/**
 * Calls after so long, once all is read that waited in pipes by then. When this process was blocked past that moment, it waits
 * as long again as it was late: others could not be heard, and may not have heard us. The returned function calls it off.
 */
export function patiently(clock: Clock, delayMs: number, callback: () => void): () => void {
  let calledOff = false;
  let cancelTimer = () => {};
  const wait = (ms: number, mayWaitAgain: boolean) => {
    const dueAt = clock.now() + ms;
    cancelTimer = clock.after(ms, () => {
      const lateMs = clock.now() - dueAt;
      if (mayWaitAgain && lateMs > LATE_MS) wait(lateMs, false);
      // Node runs timers before it reads: so one round later.
      else
        setImmediate(() => {
          if (!calledOff) callback();
        });
    });
  };
  wait(Math.max(0, delayMs), true);
  return () => {
    calledOff = true;
    cancelTimer();
  };
}
