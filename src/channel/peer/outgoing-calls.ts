// The requests of this end: gives ids, matches responses, keeps time limits.
import { Deadlines } from '../../base/clock.ts';
import { PluglotError, type ErrorCode } from '../../base/error.ts';
import type { Id, Response, Single } from '../message/message.ts';
import { OpenExchange, PendingExchanges, type Exchange, type ExchangeOwner } from './exchange.ts';
import type { CallOptions, ResolvedPeerOptions } from './options.ts';
import { Signals } from './signals.ts';
import { Histogram, type Counters } from './stats.ts';
import {
  callCancelled,
  WaitingRequests,
  type Caller,
  type CallPort,
  type StuckRequest,
} from './waiting-requests.ts';

export type BatchCall = {
  readonly method: string;
  readonly params?: unknown;
  /** True for a notification: nothing is waited for. */
  readonly notify?: boolean;
};

/** How many given-up ids are remembered, to distinguish a late response from a duplicate one. */
const ABANDONED_MAX = 1024;

export class OutgoingCalls implements ExchangeOwner, Caller {
  readonly #port: CallPort;
  readonly #options: ResolvedPeerOptions;
  readonly #counters: Counters;
  readonly #onListenerThrew: (thrown: unknown) => void;
  readonly #whenIdle: () => void;
  readonly #pending = new PendingExchanges();
  readonly #waiting: WaitingRequests;
  readonly #deadlines: Deadlines<OpenExchange | StuckRequest>;
  readonly #signals = new Signals();
  readonly #abandoned = new Set<Id>();
  readonly latency = new Histogram();
  #refusal: PluglotError | undefined;

  constructor(
    port: CallPort,
    options: ResolvedPeerOptions,
    counters: Counters,
    onListenerThrew: (thrown: unknown) => void,
    whenIdle: () => void,
  ) {
    this.#port = port;
    this.#options = options;
    this.#counters = counters;
    this.#onListenerThrew = onListenerThrew;
    this.#whenIdle = whenIdle;
    this.#waiting = new WaitingRequests(this, port, options, counters, this.#signals);
    this.#deadlines = new Deadlines<OpenExchange | StuckRequest>(
      options.clock,
      [this.#pending, this.#waiting],
      (item) => (item instanceof OpenExchange ? this.#expire(item) : this.#waiting.expire(item.request)),
    );
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  open(method: string, params: unknown, options: CallOptions | undefined): Exchange {
    this.#checkOpen(options);
    if (this.#pending.size >= this.#options.maxInFlight) throw this.#tooMany();
    return this.start(method, params, options);
  }

  request(method: string, params: unknown, options: CallOptions | undefined): Promise<unknown> {
    try {
      this.#checkOpen(options);
      if (this.#waiting.size > 0 || !this.hasRoom()) return this.#waiting.add(method, params, options);
      return this.start(method, params, options).result;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Rejects when nothing could be sent; the failure of a single call is in its outcome. */
  async batch(
    calls: readonly BatchCall[],
    options: CallOptions | undefined,
  ): Promise<PromiseSettledResult<unknown>[]> {
    const exchanges = this.openBatch(calls, options);
    return Promise.allSettled(exchanges.map((exchange) => exchange?.result ?? Promise.resolve()));
  }

  /** The exchanges are in the order of the calls; a notification has none. */
  openBatch(calls: readonly BatchCall[], options: CallOptions | undefined): (Exchange | undefined)[] {
    this.#checkOpen(options);
    // An empty array is not a valid message.
    if (calls.length === 0) return [];
    const requests = calls.filter((call) => call.notify !== true).length;
    if (this.#pending.size + requests > this.#options.maxInFlight) throw this.#tooMany();
    const exchanges = calls.map((call) =>
      call.notify === true ? undefined : this.#add(call.method, options, undefined),
    );
    const items = calls.map((call, index): Single => {
      const exchange = exchanges[index];
      const { method, params } = call;
      return exchange === undefined
        ? { kind: 'notification', method, params }
        : { kind: 'request', id: exchange.id, method, params };
    });
    try {
      this.#port.send({ kind: 'batch', items });
    } catch (error) {
      for (const exchange of exchanges) if (exchange !== undefined) this.#pending.remove(exchange);
      throw error;
    }
    for (const exchange of exchanges) if (exchange !== undefined) this.#watch(exchange, options?.signal);
    this.#counters.requestsSent += requests;
    this.#counters.notificationsSent += calls.length - requests;
    return exchanges;
  }

  /** A response came, at this moment of the clock. Gives what its listener returned. */
  receive(response: Response, at: number): unknown {
    const exchange = this.#pending.get(response.id);
    if (exchange === undefined) {
      this.#countStray(response.id);
      return undefined;
    }
    this.#pending.remove(exchange);
    this.latency.record(at - exchange.startedAt);
    try {
      return exchange.respond(response);
    } finally {
      this.afterRelease();
    }
  }

  /** The answer to this id came in a form that cannot be read. */
  failOne(id: Id, code: ErrorCode, why: (method: string) => string): boolean {
    return this.#failWith(id, ({ method }) => new PluglotError(code, why(method)));
  }

  /** The request with this id will not be answered. */
  fail(id: Id, error: Error): void {
    this.#failWith(id, () => error);
  }

  #failWith(id: Id, errorFor: (exchange: OpenExchange) => Error): boolean {
    const exchange = this.#pending.get(id);
    if (exchange === undefined || !this.#pending.remove(exchange)) return false;
    exchange.fail(errorFor(exchange));
    this.afterRelease();
    return true;
  }

  /** Takes no more requests; those under way and those that wait go on. */
  refuse(error: PluglotError): void {
    this.#refusal ??= error;
  }

  /** Fails all that is under way or waits. */
  failAll(error: PluglotError): void {
    this.#deadlines.stop();
    const exchanges = [...this.#pending];
    for (const exchange of exchanges) this.#pending.remove(exchange);
    for (const exchange of exchanges) exchange.fail(error);
    this.#waiting.failAll(error);
    this.#whenIdle();
  }

  release(exchange: OpenExchange, how: 'settled' | 'abandoned', reason?: Error): boolean {
    if (!this.#pending.remove(exchange)) return false;
    if (how === 'abandoned') {
      this.#counters.cancelled += 1;
      this.#giveUp(exchange, reason);
    }
    this.afterRelease();
    return true;
  }

  listenerThrew(thrown: unknown): void {
    this.#onListenerThrew(thrown);
  }

  hasRoom(): boolean {
    return this.#pending.size < this.#options.maxInFlight && this.#port.hasRoom;
  }

  start(method: string, params: unknown, options: CallOptions | undefined): OpenExchange {
    const exchange = this.#add(method, options, options?.id);
    try {
      this.#port.send({ kind: 'request', id: exchange.wireId, method, params }, options?.about);
    } catch (error) {
      this.#pending.remove(exchange);
      throw error;
    }
    this.#watch(exchange, options?.signal);
    this.#counters.requestsSent += 1;
    return exchange;
  }

  watch(deadline: number): void {
    this.#deadlines.watch(deadline);
  }

  afterRelease(): void {
    if (this.#waiting.size > 0) this.#waiting.admit();
    if (this.#pending.size === 0 && this.#waiting.size === 0) this.#whenIdle();
  }

  #checkOpen(options: CallOptions | undefined): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (options?.signal?.aborted === true) throw callCancelled(options.signal);
  }

  #add(method: string, options: CallOptions | undefined, ownId: string | undefined): OpenExchange {
    if (ownId !== undefined && this.#pending.get(ownId) !== undefined)
      throw new PluglotError('INVALID_ARGUMENTS', `A request with the id "${ownId}" is under way already.`);
    const now = this.#options.clock.now();
    const exchange = new OpenExchange(
      this,
      method,
      now,
      now + (options?.timeoutMs ?? this.#options.timeoutMs),
      ownId,
    );
    this.#pending.add(exchange);
    return exchange;
  }

  #watch(exchange: OpenExchange, signal: AbortSignal | undefined): void {
    this.#deadlines.watch(exchange.deadline);
    if (signal !== undefined) this.#follow(exchange, signal);
  }

  /** An observer or a link that answers at once may have ended it, or fired the signal, while it was sent. */
  #follow(exchange: OpenExchange, signal: AbortSignal): void {
    if (this.#pending.get(exchange.wireId) !== exchange) return;
    if (signal.aborted) exchange.abandon(callCancelled(signal));
    else exchange.whenOver(this.#signals.follow(signal, () => exchange.abandon(callCancelled(signal))));
  }

  #expire(exchange: OpenExchange): void {
    if (!this.#pending.remove(exchange)) return;
    this.#counters.timeouts += 1;
    const limitMs = Math.round(exchange.deadline - exchange.startedAt);
    const error = new PluglotError(
      'CALL_TIMEOUT',
      `No answer to "${exchange.method}" from ${this.#options.name} within ${limitMs} ms. Give the call a larger timeoutMs if it needs longer.`,
    );
    this.#giveUp(exchange, error);
    exchange.fail(error);
    this.afterRelease();
  }

  #giveUp(exchange: OpenExchange, reason = new Error('given up')): void {
    if (this.#abandoned.size >= ABANDONED_MAX)
      for (const oldest of this.#abandoned) if (this.#abandoned.delete(oldest)) break;
    this.#abandoned.add(exchange.wireId);
    const { cancel } = this.#options;
    if (cancel === undefined) return;
    try {
      this.#port.send({ kind: 'notification', ...cancel.notification(exchange.wireId, reason) });
    } catch {
      // The pipe is full or gone: the other end cannot be notified, and the exchange is over here all the same.
    }
  }

  #countStray(id: Id): void {
    if (this.#abandoned.delete(id)) this.#counters.lateResponses += 1;
    else if (this.#pending.wasIssued(id)) this.#counters.duplicateResponses += 1;
    else this.#counters.unknownResponses += 1;
  }

  #tooMany(): PluglotError {
    return new PluglotError(
      'TOO_MANY_CALLS',
      `${this.#pending.size} requests to ${this.#options.name} are under way, which is the limit (maxInFlight). request() waits for its turn; open() and batch() do not.`,
    );
  }
}
