// Time is handed in, so that tests can fake it.

export interface Clock {
  /** Milliseconds since some fixed moment; never goes back. */
  now(): number;
  /** Calls once after at least so many milliseconds; the returned function calls it off. Never keeps the process alive by itself. */
  after(delayMs: number, callback: () => void): () => void;
}

/** What Node's timers take; they fire at once for anything longer. Whoever waits for 24 days can look again then. */
const LONGEST_DELAY_MS = 0x7fffffff;

export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.ceil(delayMs), LONGEST_DELAY_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
