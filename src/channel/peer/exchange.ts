// One request's life on a Peer, from its id to its end.
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
  /** Told synchronously when it ends without a response: given up, over its time, or nobody is there any more. */
  onFailure(listener: (error: Error) => void): void;
  /** Ends it well from elsewhere, such as by a notification that stands for the response. */
  settle(value: unknown): void;
  /** Gives it up: the other end is told where the protocol has words for that, and a late response is ignored. */
  abandon(reason: Error): void;
}

/** May be asynchronous: nobody waits for it, but its failure is told as trouble. */
export type ResponseListener = (response: Response) => unknown;

/** What an exchange needs of its peer. */
export interface ExchangeOwner {
  /** Forgets it; false when it was over already. */
  release(exchange: OpenExchange, how: 'settled' | 'abandoned', reason?: Error): boolean;
  /** A listener of it threw; others must not suffer from that. */
  listenerThrew(thrown: unknown): void;
}

export class OpenExchange implements Exchange {
  /** Given by the table of pending exchanges. */
  id = 0;
  readonly method: string;
  readonly startedAt: number;
  /** In the clock's milliseconds; Infinity when there is no limit. */
  readonly deadline: number;
  /** The one that the caller gave it. */
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
