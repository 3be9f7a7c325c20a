// How long calls took, in bounded memory: counts by size, eight steps to a doubling, of the last five to ten minutes.
import type { Clock } from '../../base/clock.ts';

const STEPS = 8;
/** From a microsecond to an hour. */
const SIZE = 32 * STEPS;
const TURN_MS = 5 * 60_000;

export class Latency {
  readonly #clock: Clock;
  #now = new Uint32Array(SIZE);
  #before = new Uint32Array(SIZE);
  #turnedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#turnedAt = clock.now();
  }

  record(ms: number): void {
    this.#turn();
    const at = indexOf(ms);
    this.#now[at] = (this.#now[at] ?? 0) + 1;
  }

  /** What so large a part of them did not exceed, up to a tenth; 0 when there were none. */
  percentile(part: number): number {
    this.#turn();
    let total = 0;
    for (let at = 0; at < SIZE; at++) total += this.#count(at);
    let left = Math.ceil(total * part);
    if (left === 0) return 0;
    for (let at = 0; at < SIZE; at++) {
      left -= this.#count(at);
      if (left <= 0) return valueOf(at);
    }
    return valueOf(SIZE - 1);
  }

  #count(at: number): number {
    return (this.#now[at] ?? 0) + (this.#before[at] ?? 0);
  }

  #turn(): void {
    const passed = this.#clock.now() - this.#turnedAt;
    if (passed < TURN_MS) return;
    this.#turnedAt += passed;
    // After a long pause nothing of before counts.
    this.#before = passed < 2 * TURN_MS ? this.#now : new Uint32Array(SIZE);
    this.#now = new Uint32Array(SIZE);
  }
}

function indexOf(ms: number): number {
  const step = Math.floor(Math.log2(ms * 1000) * STEPS);
  return step > 0 ? Math.min(step, SIZE - 1) : 0;
}

/** The middle of a step, to three digits. */
function valueOf(at: number): number {
  return Number((2 ** ((at + 0.5) / STEPS) / 1000).toPrecision(3));
}
