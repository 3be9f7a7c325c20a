// The exchanges under way, in a ring indexed by id: no hashing, no allocation per call.
import type { OpenExchange } from './exchange.ts';

/** Real ends read ids as int32. */
const MAX_ID = 0x7fffffff;
const FIRST_SIZE = 16;

export class PendingExchanges {
  #slots: (OpenExchange | undefined)[] = new Array<undefined>(FIRST_SIZE).fill(undefined);
  /** Those whose caller gave them an id, which are few. */
  readonly #named = new Map<string, OpenExchange>();
  #size = 0;
  #lastId: number;
  #wentRound = false;

  /** Ids go on after this one. */
  constructor(lastId = 0) {
    this.#lastId = lastId;
  }

  get size(): number {
    return this.#size;
  }

  /** Gives the exchange its id: the next one whose slot is free, so that a call that takes long is simply stepped over. */
  add(exchange: OpenExchange): void {
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    const mask = this.#slots.length - 1;
    let id = following(this.#lastId);
    while (this.#slots[id & mask] !== undefined) id = following(id);
    exchange.id = id;
    if (id < this.#lastId) this.#wentRound = true;
    this.#lastId = id;
    this.#slots[id & mask] = exchange;
    this.#size += 1;
    if (exchange.ownId !== undefined) this.#named.set(exchange.ownId, exchange);
  }

  get(id: unknown): OpenExchange | undefined {
    if (typeof id !== 'number') return typeof id === 'string' ? this.#named.get(id) : undefined;
    const exchange = this.#slots[id & (this.#slots.length - 1)];
    return exchange?.id === id && exchange.ownId === undefined ? exchange : undefined;
  }

  remove(exchange: OpenExchange): boolean {
    const place = exchange.id & (this.#slots.length - 1);
    if (this.#slots[place] !== exchange) return false;
    this.#slots[place] = undefined;
    this.#size -= 1;
    if (exchange.ownId !== undefined) this.#named.delete(exchange.ownId);
    return true;
  }

  /** Whether this id was given out at some time. */
  wasIssued(id: unknown): boolean {
    return (
      typeof id === 'number' &&
      Number.isInteger(id) &&
      id >= 1 &&
      id <= (this.#wentRound ? MAX_ID : this.#lastId)
    );
  }

  *[Symbol.iterator](): Iterator<OpenExchange> {
    for (const exchange of this.#slots) if (exchange !== undefined) yield exchange;
  }

  /** Ids that differ modulo the old size differ modulo its double too. */
  #grow(): void {
    const grown = new Array<OpenExchange | undefined>(this.#slots.length * 2).fill(undefined);
    for (const exchange of this) grown[exchange.id & (grown.length - 1)] = exchange;
    this.#slots = grown;
  }
}

function following(id: number): number {
  return id >= MAX_ID ? 1 : id + 1;
}
