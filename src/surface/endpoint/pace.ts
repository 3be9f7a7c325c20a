// How fast somebody is told things: a burst at once, then so many a second. Who says more is heard in fewer, longer pieces.
import type { Clock } from '../../base/clock.ts';

export class Pace {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #everyMs: number;
  #free: number;
  #countedAt: number;
  #callOff: (() => void) | undefined;

  constructor(clock: Clock, burst = 100, everyMs = 25) {
    this.#clock = clock;
    this.#burst = burst;
    this.#everyMs = everyMs;
    this.#free = burst;
    this.#countedAt = clock.now();
  }

  /** Whether something may be said now; else it is to be kept until `whenFree` calls. */
  take(): boolean {
    const now = this.#clock.now();
    this.#free = Math.min(this.#burst, this.#free + (now - this.#countedAt) / this.#everyMs);
    this.#countedAt = now;
    if (this.#free < 1) return false;
    this.#free -= 1;
    return true;
  }

  /** One at a time: who asks again meanwhile is called with the first. */
  whenFree(callback: () => void): void {
    this.#callOff ??= this.#clock.after(this.#everyMs, () => {
      this.#callOff = undefined;
      callback();
    });
  }

  stop(): void {
    this.#callOff?.();
    this.#callOff = undefined;
  }
}
