// A list whose links are in its items, so that coming and going costs nothing. An item is in one list at most.

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

  /** The last added first. Only the item that is given may be taken out meanwhile. */
  *[Symbol.iterator](): Iterator<Item> {
    for (let item = this.#first; item !== undefined;) {
      const { next } = item;
      yield item;
      item = next;
    }
  }
}
