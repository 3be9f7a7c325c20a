// A queue whose every operation costs the same at any length, which those of an Array do not.

/** Each item is in it once at most. */
export class Fifo<Item extends object> {
  #items: (Item | undefined)[] = [];
  #head = 0;
  /** Items that are still in the list and shall be stepped over. */
  readonly #removed = new Set<Item>();

  get size(): number {
    return this.#items.length - this.#head - this.#removed.size;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    while (this.#head < this.#items.length) {
      const item = this.#items[this.#head];
      this.#items[this.#head] = undefined;
      this.#head += 1;
      // Half of it used up: moving the rest costs no more than what was taken since the last move.
      if (this.#head * 2 >= this.#items.length) {
        this.#items = this.#items.slice(this.#head);
        this.#head = 0;
      }
      if (item !== undefined && !this.#removed.delete(item)) return item;
    }
    return undefined;
  }

  /** Takes an item out, wherever it stands. It has to be in the queue. */
  remove(item: Item): void {
    this.#removed.add(item);
    // As many to step over as are left: sorting them out costs no more than the removals did.
    if (this.#removed.size > this.size) this.#items = this.takeAll();
  }

  /** From front to back; nothing may be added or taken meanwhile. */
  *[Symbol.iterator](): Iterator<Item> {
    for (const item of this.#items) if (item !== undefined && !this.#removed.has(item)) yield item;
  }

  takeAll(): Item[] {
    const left = [...this];
    this.#items = [];
    this.#head = 0;
    this.#removed.clear();
    return left;
  }
}
