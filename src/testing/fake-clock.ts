// A clock that stands still until a test moves it.
import type { Clock } from '../base/clock.ts';

export interface FakeClock extends Clock {
  /** Moves on and calls what falls due on the way, each at its own moment and in order. */
  advance(ms: number): void;
  /** How many callbacks wait. */
  readonly waiting: number;
}

export function fakeClock(startMs = 0): FakeClock {
  let now = startMs;
  const timers = new Set<{ readonly dueAt: number; readonly callback: () => void }>();
  const nextDue = (until: number) => {
    let next: { readonly dueAt: number; readonly callback: () => void } | undefined;
    for (const timer of timers) if (timer.dueAt <= until && (!next || timer.dueAt < next.dueAt)) next = timer;
    return next;
  };
  return {
    now: () => now,
    after(delayMs, callback) {
      const timer = { dueAt: now + Math.max(0, delayMs), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const until = now + ms;
      for (let timer = nextDue(until); timer; timer = nextDue(until)) {
        timers.delete(timer);
        now = timer.dueAt;
        timer.callback();
      }
      now = until;
    },
    get waiting() {
      return timers.size;
    },
  };
}
