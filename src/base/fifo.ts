// A queue whose shift costs the same at any length, which Array.shift does not.

export class Fifo<Item> {
  #items: (Item | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    // Half of it used up: moving the rest costs no more than what was taken since the last move.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Takes out the first item that fits. */
  remove(fits: (item: Item) => boolean): Item | undefined {
    const index = this.#items.findIndex((item, at) => at >= this.#head && item !== undefined && fits(item));
    return index === -1 ? undefined : this.#items.splice(index, 1)[0];
  }

  takeAll(): Item[] {
    const all = this.#items.slice(this.#head) as Item[]; // only slots before the head are undefined
    this.#items = [];
    this.#head = 0;
    return all;
  }
}
