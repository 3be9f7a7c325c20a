// How often: never more than so many in any minute, counted exactly.
import type { Clock } from '../../base/clock.ts';
import { Denial } from '../denial.ts';
import type { Held } from './limit-options.ts';

const MINUTE_MS = 60_000;
/** Callers may be named by strangers. */
const WINDOWS_MAX = 20_000;
const SWEEP_MS = 1000;

export class Rates {
  readonly #clock: Clock;
  readonly #windows = new Map<string, RateWindow>();
  #sweptAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts the call under all of them, or under none and says why not. */
  take(held: readonly Held[]): Denial | undefined {
    return this.#look(held, (window, now) => window.take(now));
  }

  /** Why it could not be counted now. */
  refusal(held: readonly Held[]): Denial | undefined {
    return this.#look(held, () => {});
  }

  /** The call that was counted then was not made. */
  giveBack(held: readonly Held[], at: number): void {
    for (const { key } of held) this.#windows.get(key)?.giveBack(at);
  }

  #look(held: readonly Held[], use: (window: RateWindow, now: number) => void): Denial | undefined {
    if (held.length === 0) return undefined;
    const now = this.#clock.now();
    const windows: RateWindow[] = [];
    for (const one of held) {
      const window = this.#windowOf(one, now);
      if (window === undefined) return crowded();
      const waitMs = window.waitMs(now);
      if (waitMs > 0) return tooOften(one, waitMs);
      windows.push(window);
    }
    for (const window of windows) use(window, now);
    return undefined;
  }

  #windowOf({ key, limit }: Held, now: number): RateWindow | undefined {
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    if (this.#windows.size >= WINDOWS_MAX && !this.#makeRoom(now)) return undefined;
    const window = new RateWindow(limit);
    this.#windows.set(key, window);
    return window;
  }

  /** What was not used for a minute says nothing any more. Looking at all of them is done once in a while. */
  #makeRoom(now: number): boolean {
    if (now - this.#sweptAt < SWEEP_MS) return false;
    this.#sweptAt = now;
    for (const [key, window] of this.#windows) if (window.isIdle(now)) this.#windows.delete(key);
    return this.#windows.size < WINDOWS_MAX;
  }
}

/** The moments of the calls of the last minute: never more than its limit, so none of them is looked at twice. */
export class RateWindow {
  readonly #limit: number;
  #times: number[] = [];
  /** Where the oldest stands that still counts. */
  #oldest = 0;

  constructor(limit: number) {
    this.#limit = Math.max(0, Math.floor(limit));
  }

  /** 0: now. */
  waitMs(now: number): number {
    this.#forget(now);
    if (this.#times.length - this.#oldest < this.#limit) return 0;
    const oldest = this.#times[this.#oldest];
    return oldest === undefined ? Infinity : oldest + MINUTE_MS - now;
  }

  take(now: number): void {
    this.#times.push(now);
  }

  giveBack(at: number): void {
    const index = this.#times.lastIndexOf(at);
    if (index >= this.#oldest) this.#times.splice(index, 1);
  }

  isIdle(now: number): boolean {
    this.#forget(now);
    return this.#times.length === 0;
  }

  #forget(now: number): void {
    while ((this.#times[this.#oldest] ?? Infinity) <= now - MINUTE_MS) this.#oldest += 1;
    // Half of it used up: moving the rest costs no more than what was forgotten since the last move.
    if (this.#oldest * 2 < this.#times.length || this.#oldest === 0) return;
    this.#times = this.#times.slice(this.#oldest);
    this.#oldest = 0;
  }
}

function tooOften({ limit, of, setting }: Held, waitMs: number): Denial {
  const never = `No call of ${of} is allowed (gate.${setting} is ${limit}).`;
  if (waitMs === Infinity)
    return new Denial('rate', { code: 'RATE_LIMITED', message: never, reason: 'rate' });
  const seconds = Math.ceil(waitMs / 1000);
  return new Denial('rate', {
    code: 'RATE_LIMITED',
    message: `More than ${limit} calls a minute of ${of} are not allowed (gate.${setting}). Try again in ${seconds} s.`,
    reason: 'rate',
    recoverable: true,
    data: { retryAfterMs: Math.ceil(waitMs) },
  });
}

function crowded(): Denial {
  return new Denial('rate', {
    code: 'RATE_LIMITED',
    message: `More than ${WINDOWS_MAX} callers, tools and plugins were active in this minute. Try again later.`,
    reason: 'rate',
    recoverable: true,
  });
}
