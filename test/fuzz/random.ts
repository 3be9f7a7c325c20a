// Numbers that look random and are the same for the same seed, so that a failure can be had again.

export class Random {
  #state: number;

  /** Each index of a seed begins a sequence of its own: one input can be made without those before it. */
  constructor(seed: number, index: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0;
  }

  /** From 0 up to, not including, the limit; mulberry32. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  chance(one: number): boolean {
    return this.below(one) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    // The index is within the array, which is never empty here.
    return items[this.below(items.length)] as Item;
  }

  bytes(size: number): Buffer {
    const bytes = Buffer.allocUnsafe(size);
    for (let index = 0; index < size; index++) bytes[index] = this.below(256);
    return bytes;
  }
}
