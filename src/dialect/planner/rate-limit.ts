// How many requests a minute are taken, where whoever runs the plugin has set a limit.
import type { Clock } from '../../base/clock.ts';

const MINUTE_MS = 60_000;

export class RateLimit {
  readonly #clock: Clock;
  /** When the last so many were taken, the oldest at the mark. */
  readonly #taken: number[];
  #mark = 0;

  constructor(perMinute: number, clock: Clock) {
    this.#clock = clock;
    this.#taken = Array.from({ length: perMinute }, () => -Infinity);
  }

  /** In milliseconds, until the next is taken; 0 when this one is. */
  take(): number {
    const now = this.#clock.now();
    const waitMs = (this.#taken[this.#mark] ?? -Infinity) + MINUTE_MS - now;
    if (waitMs > 0) return waitMs;
    this.#taken[this.#mark] = now;
    this.#mark = (this.#mark + 1) % this.#taken.length;
    return 0;
  }
}
