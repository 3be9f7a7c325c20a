// Queues: a first-in-first-out one with constant cost at any length, unlike an Array, and a linked list.

/** Each item is in it once at most. */
export class Fifo<Item extends object> {
  #items: (Item | undefined)[] = [];
  #head = 0;
  /** Removed items that are still in the list. */
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
      // Half of it is used up: moving the rest costs no more than the items taken since the last move.
      if (this.#head * 2 >= this.#items.length) {
        this.#items = this.#items.slice(this.#head);
        this.#head = 0;
      }
      if (item !== undefined && !this.#removed.delete(item)) return item;
    }
    return undefined;
  }

  /** Removes an item at any position. It has to be in the queue. */
  remove(item: Item): void {
    this.#removed.add(item);
    // As many removed as left: filtering costs no more than the removals did.
    if (this.#removed.size > this.size) this.#items = this.takeAll();
  }

  /** From front to back; the queue must not change meanwhile. */
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

// A list whose links are in its items: adding and removing allocates nothing. An item is in one list at most.

export interface Linked<Item> {
  /** Kept by the list. */
  previous: Item | undefined;
  next: Item | undefined;
}

export class LinkedList<Item extends Linked<Item>> implements Iterable<Item> {
  #first: Item | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    item.previous = undefined;
    item.next = this.#first;
    if (this.#first !== undefined) this.#first.previous = item;
    this.#first = item;
    this.#size += 1;
  }

  /** It has to be in the list. */
  remove(item: Item): void {
    const { previous, next } = item;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next !== undefined) next.previous = previous;
    item.previous = undefined;
    item.next = undefined;
    this.#size -= 1;
  }

  /** The last added first. Only the current item may be removed meanwhile. */
  *[Symbol.iterator](): Iterator<Item> {
    for (let item = this.#first; item !== undefined;) {
      const { next } = item;
      yield item;
      item = next;
    }
  }
}
