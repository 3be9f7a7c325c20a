// Many time limits on one timer: a call costs a comparison, and a sweep comes only when one can be due.
import type { Clock } from './clock.ts';
import { patiently } from './patience.ts';

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

  /** To be told of the deadline of every item that is added, or of an earlier moment. */
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
    this.#cancelTimer = patiently(this.#clock, at - this.#clock.now(), () => this.#sweep());
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
