// Time, passed in so that tests can fake it; timers that allow for a blocked process; many deadlines on one timer.

export interface Clock {
  /** Milliseconds since some fixed moment; never goes back. */
  now(): number;
  /** Calls back once, after at least `delayMs`; the returned function cancels it. Does not keep the process alive. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The longest delay of Node's timers, about 24 days; they fire at once for anything longer. */
const LONGEST_DELAY_MS = 0x7fffffff;

export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.ceil(delayMs), LONGEST_DELAY_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

// A timer that allows for delays of this process itself.

/** Timers are a little late on any busy machine. */
const LATE_MS = 100;

/**
 * Calls back after `delayMs`, once the input that waited in pipes is read. If this process was blocked past that moment, it waits
 * again for as long as it was late: messages of others could not be read or sent meanwhile. The returned function cancels it.
 */
export function callWhenDue(clock: Clock, delayMs: number, callback: () => void): () => void {
  let calledOff = false;
  let cancelTimer = () => {};
  const wait = (ms: number, mayWaitAgain: boolean) => {
    const dueAt = clock.now() + ms;
    cancelTimer = clock.after(ms, () => {
      const lateMs = clock.now() - dueAt;
      if (mayWaitAgain && lateMs > LATE_MS) wait(lateMs, false);
      // Node runs timers before it reads, so this runs one iteration later.
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

// Many time limits on one timer: a call costs a comparison, and a sweep runs only when one can be due.

export interface Expiring {
  readonly deadline: number;
}

export class Deadlines<Item extends Expiring> {
  readonly #clock: Clock;
  readonly #sources: readonly Iterable<Item>[];
  readonly #expire: (item: Item) => void;
  /** No item is due before this. */
  #nextSweep = Infinity;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, sources: readonly Iterable<Item>[], expire: (item: Item) => void) {
    this.#clock = clock;
    this.#sources = sources;
    this.#expire = expire;
  }

  /** Call it with the deadline of every item that is added, or with an earlier moment. */
  watch(deadline: number): void {
    if (deadline < this.#nextSweep) this.#schedule(deadline);
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#nextSweep = Infinity;
  }

  #schedule(at: number): void {
    this.#cancelTimer?.();
    this.#nextSweep = at;
    this.#cancelTimer = callWhenDue(this.#clock, at - this.#clock.now(), () => this.#sweep());
  }

  #sweep(): void {
    const now = this.#clock.now();
    this.#nextSweep = Infinity;
    let next = Infinity;
    const due: Item[] = [];
    for (const items of this.#sources) {
      for (const item of items) {
        if (item.deadline <= now) due.push(item);
        else if (item.deadline < next) next = item.deadline;
      }
    }
    if (next < Infinity) this.watch(next);
    for (const item of due) this.#expire(item);
  }
}
