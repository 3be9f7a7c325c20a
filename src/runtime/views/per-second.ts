// How much happened in each of the last 60 seconds.
import type { Clock } from '../../base/clock.ts';

const SECONDS = 60;

export class PerSecond {
  readonly #clock: Clock;
  readonly #counts = new Uint32Array(SECONDS);
  #second: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#second = secondOf(clock);
  }

  count(): void {
    this.#moveOn();
    const at = this.#second % SECONDS;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  /** The oldest first; the last is the one that goes on. */
  get counts(): readonly number[] {
    this.#moveOn();
    return Array.from(
      { length: SECONDS },
      (_, index) => this.#counts[(this.#second + 1 + index) % SECONDS] ?? 0,
    );
  }

  #moveOn(): void {
    const now = secondOf(this.#clock);
    const passed = Math.min(now - this.#second, SECONDS);
    for (let step = 1; step <= passed; step++) this.#counts[(now - passed + step) % SECONDS] = 0;
    this.#second = now;
  }
}

function secondOf(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}
