// One request on a Peer, from its id to its end, and the table of those under way.
import type { Id, Response } from '../message/message.ts';
import { RpcError } from '../message/rpc-error.ts';

export interface Exchange {
  readonly id: number;
  /** As the other end sees it: the same, unless the caller gave it one of its own. */
  readonly wireId: Id;
  readonly method: string;
  /** How it ends, as a promise: the result, or the error. */
  readonly result: Promise<unknown>;
  /** Sees the response synchronously and in wire order: every earlier message was handled before, no later one was. */
  onResponse(listener: ResponseListener): void;
  /** Called synchronously when it ends without a response: given up, over its time limit, or the pipe has ended. */
  onFailure(listener: (error: Error) => void): void;
  /** Ends it well from elsewhere, such as by a notification that stands for the response. */
  settle(value: unknown): void;
  /** Gives it up: the other end is notified where the protocol has a message for that, and a late response is ignored. */
  abandon(reason: Error): void;
}

/** May be asynchronous: it is not awaited, but its failure is reported as trouble. */
export type ResponseListener = (response: Response) => unknown;

/** What an exchange needs of its peer. */
export interface ExchangeOwner {
  /** Forgets it; false when it was over already. */
  release(exchange: OpenExchange, how: 'settled' | 'abandoned', reason?: Error): boolean;
  /** A listener threw; that must not affect others. */
  listenerThrew(thrown: unknown): void;
}

export class OpenExchange implements Exchange {
  /** Given by the table of pending exchanges. */
  id = 0;
  readonly method: string;
  readonly startedAt: number;
  /** In the clock's milliseconds; Infinity when there is no limit. */
  readonly deadline: number;
  /** The id that the caller chose. */
  readonly ownId: string | undefined;
  readonly #owner: ExchangeOwner;
  #listener: ResponseListener | undefined;
  #failureListener: ((error: Error) => void) | undefined;
  #promise: Promise<unknown> | undefined;
  #resolve: ((value: unknown) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  #outcome: { readonly value: unknown } | { readonly error: Error } | undefined;
  #whenOver: (() => void) | undefined;

  constructor(owner: ExchangeOwner, method: string, startedAt: number, deadline: number, ownId?: string) {
    this.#owner = owner;
    this.method = method;
    this.startedAt = startedAt;
    this.deadline = deadline;
    this.ownId = ownId;
  }

  get wireId(): Id {
    return this.ownId ?? this.id;
  }

  get result(): Promise<unknown> {
    this.#promise ??= new Promise((resolve, reject) => {
      const outcome = this.#outcome;
      if (outcome === undefined) {
        this.#resolve = resolve;
        this.#reject = reject;
      } else if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.value);
    });
    return this.#promise;
  }

  onResponse(listener: ResponseListener): void {
    this.#listener = listener;
  }

  onFailure(listener: (error: Error) => void): void {
    this.#failureListener = listener;
  }

  settle(value: unknown): void {
    if (this.#owner.release(this, 'settled')) this.succeed(value);
  }

  abandon(reason: Error): void {
    if (this.#owner.release(this, 'abandoned', reason)) this.fail(reason);
  }

  /** To be called when it is over, however it ends. */
  whenOver(callback: () => void): void {
    this.#whenOver = callback;
  }

  /** Gives what the listener returned. */
  respond(response: Response): unknown {
    // The promise is resolved first: it reaches its awaiter later anyway, and a listener that throws cannot keep it back.
    if (response.kind === 'success') this.succeed(response.result);
    else this.#settleWith(new RpcError(response.error.code, response.error.message, response.error.data));
    return this.#listener?.(response);
  }

  succeed(value: unknown): void {
    this.#whenOver?.();
    if (this.#resolve === undefined) this.#outcome = { value };
    else this.#resolve(value);
  }

  fail(error: Error): void {
    this.#settleWith(error);
    try {
      this.#failureListener?.(error);
    } catch (thrown) {
      this.#owner.listenerThrew(thrown);
    }
  }

  #settleWith(error: Error): void {
    this.#whenOver?.();
    if (this.#reject === undefined) this.#outcome = { error };
    else this.#reject(error);
  }
}

/** Real ends read ids as int32. */
const MAX_ID = 0x7fffffff;
const FIRST_SIZE = 16;

/** The exchanges under way, in a ring indexed by id: no hashing, no allocation per call. */
export class PendingExchanges {
  #slots: (OpenExchange | undefined)[] = new Array<undefined>(FIRST_SIZE).fill(undefined);
  /** The few whose caller chose their id. */
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
