// The requests of this end: gives ids, matches responses, keeps time limits, lets late ones wait their turn.
import { PluglotError, type ErrorCode } from '../../base/error.ts';
import type { Id, Message, Response, Single } from '../message/message.ts';
import { Deadlines } from './deadlines.ts';
import { OpenExchange, type Exchange, type ExchangeOwner } from './exchange.ts';
import { Histogram } from './histogram.ts';
import type { ResolvedPeerOptions } from './options.ts';
import { PendingExchanges } from './pending.ts';
import { Signals } from './signals.ts';
import type { Counters } from './stats.ts';
import { WaitingRoom, type StuckRequest, type WaitingRequest } from './waiting-room.ts';

export interface CallOptions {
  /** Counts from sending, or from when the pipe had no room for it. Replaces the peer's own. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export type BatchCall = {
  readonly method: string;
  readonly params?: unknown;
  /** True for a notification: nothing is waited for. */
  readonly notify?: boolean;
};

/** What calling needs of the peer. */
export interface CallPort {
  send(message: Message): boolean;
  readonly hasRoom: boolean;
  drained(): Promise<void>;
}

/** How many given-up ids are remembered, to tell a late response from a duplicate one. */
const ABANDONED_MAX = 1024;

export class OutgoingCalls implements ExchangeOwner {
  readonly #port: CallPort;
  readonly #options: ResolvedPeerOptions;
  readonly #counters: Counters;
  readonly #whenIdle: () => void;
  readonly #pending = new PendingExchanges();
  readonly #waiting: WaitingRoom;
  readonly #deadlines: Deadlines<OpenExchange | StuckRequest>;
  readonly #signals = new Signals();
  readonly #abandoned = new Set<Id>();
  readonly latency = new Histogram();
  #refusal: PluglotError | undefined;
  #waitsForRoom = false;

  constructor(port: CallPort, options: ResolvedPeerOptions, counters: Counters, whenIdle: () => void) {
    this.#port = port;
    this.#options = options;
    this.#counters = counters;
    this.#whenIdle = whenIdle;
    this.#waiting = new WaitingRoom(options.maxWaiting);
    this.#deadlines = new Deadlines<OpenExchange | StuckRequest>(
      options.clock,
      [this.#pending, this.#waiting],
      (item) => (item instanceof OpenExchange ? this.#expire(item) : this.#expireWaiting(item.request)),
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
    return this.#start(method, params, options);
  }

  request(method: string, params: unknown, options: CallOptions | undefined): Promise<unknown> {
    try {
      this.#checkOpen(options);
      if (this.#waiting.size > 0 || !this.#hasRoom()) return this.#requestLater(method, params, options);
      return this.#start(method, params, options).result;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Rejects when nothing could be sent; the failure of a single call is in its outcome. */
  async batch(
    calls: readonly BatchCall[],
    options: CallOptions | undefined,
  ): Promise<PromiseSettledResult<unknown>[]> {
    this.#checkOpen(options);
    // An empty array is no valid message.
    if (calls.length === 0) return [];
    const requests = calls.filter((call) => call.notify !== true).length;
    if (this.#pending.size + requests > this.#options.maxInFlight) throw this.#tooMany();
    const exchanges = calls.map((call) =>
      call.notify === true ? undefined : this.#add(call.method, options),
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
    return Promise.allSettled(exchanges.map((exchange) => exchange?.result ?? Promise.resolve()));
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
      this.#afterRelease();
    }
  }

  /** The answer to this id came in a form that cannot be read. */
  failOne(id: Id, code: ErrorCode, why: (method: string) => string): boolean {
    const exchange = this.#pending.get(id);
    if (exchange === undefined || !this.#pending.remove(exchange)) return false;
    exchange.fail(new PluglotError(code, why(exchange.method)));
    this.#afterRelease();
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
    this.#afterRelease();
    return true;
  }

  #checkOpen(options: CallOptions | undefined): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (options?.signal?.aborted === true) throw cancelled(options.signal);
  }

  #hasRoom(): boolean {
    return this.#pending.size < this.#options.maxInFlight && this.#port.hasRoom;
  }

  #start(method: string, params: unknown, options: CallOptions | undefined): OpenExchange {
    const exchange = this.#add(method, options);
    try {
      this.#port.send({ kind: 'request', id: exchange.id, method, params });
    } catch (error) {
      this.#pending.remove(exchange);
      throw error;
    }
    this.#watch(exchange, options?.signal);
    this.#counters.requestsSent += 1;
    return exchange;
  }

  #add(method: string, options: CallOptions | undefined): OpenExchange {
    const now = this.#options.clock.now();
    const exchange = new OpenExchange(
      this,
      method,
      now,
      now + (options?.timeoutMs ?? this.#options.timeoutMs),
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
    if (this.#pending.get(exchange.id) !== exchange) return;
    if (signal.aborted) exchange.abandon(cancelled(signal));
    else exchange.whenOver(this.#signals.follow(signal, () => exchange.abandon(cancelled(signal))));
  }

  #requestLater(method: string, params: unknown, options: CallOptions | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const signal = options?.signal;
      const request: WaitingRequest = {
        since: this.#options.clock.now(),
        timeoutMs: options?.timeoutMs ?? this.#options.timeoutMs,
        waits: false,
        send: () => {
          callOff?.();
          try {
            // One signal may end many: the first of them to be told makes room for the others before they are told.
            if (signal?.aborted === true) {
              this.#counters.cancelled += 1;
              throw cancelled(signal);
            }
            this.#start(method, params, options).result.then(resolve, reject);
          } catch (error) {
            reject(error);
          }
        },
        fail: (error) => {
          callOff?.();
          reject(error);
        },
      };
      this.#waiting.enter(request);
      const callOff =
        signal &&
        this.#signals.follow(signal, () => {
          this.#waiting.leave(request);
          this.#counters.cancelled += 1;
          reject(cancelled(signal));
          this.#afterRelease();
        });
      if (this.#waitsForRoom) this.#deadlines.watch(request.since + request.timeoutMs);
      else this.#admit();
    });
  }

  /** Sends what waits, as far as there is room; when the pipe is what is full, goes on when it has drained. */
  #admit(): void {
    this.#waiting.admit(() => this.#hasRoom());
    if (this.#waiting.size === 0 || this.#port.hasRoom) return;
    if (!this.#waitsForRoom) this.#waitForRoom();
  }

  #waitForRoom(): void {
    this.#waitsForRoom = true;
    this.#waiting.pipeIsFull(this.#options.clock.now());
    this.#deadlines.watch(this.#waiting.nextDeadline);
    const goOn = () => {
      this.#waitsForRoom = false;
      this.#waiting.pipeIsFull(Infinity);
      this.#afterRelease();
    };
    this.#port.drained().then(goOn, (error: Error) => {
      this.#waiting.failAll(error);
      goOn();
    });
  }

  #afterRelease(): void {
    if (this.#waiting.size > 0) this.#admit();
    if (this.#pending.size === 0 && this.#waiting.size === 0) this.#whenIdle();
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
    this.#afterRelease();
  }

  #expireWaiting(request: WaitingRequest): void {
    if (!this.#waiting.leave(request)) return;
    this.#counters.timeouts += 1;
    request.fail(
      new PluglotError(
        'CALL_TIMEOUT',
        `A request could not be sent to ${this.#options.name} within ${request.timeoutMs} ms: the pipe is full, as the other end does not read.`,
      ),
    );
    this.#afterRelease();
  }

  #giveUp(exchange: OpenExchange, reason = new Error('given up')): void {
    if (this.#abandoned.size >= ABANDONED_MAX)
      for (const oldest of this.#abandoned) if (this.#abandoned.delete(oldest)) break;
    this.#abandoned.add(exchange.id);
    const { cancel } = this.#options;
    if (cancel === undefined) return;
    try {
      this.#port.send({ kind: 'notification', ...cancel.say(exchange.id, reason) });
    } catch {
      // The pipe is full or gone: the other end cannot be told, and the exchange is over here all the same.
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

function cancelled(signal: AbortSignal | undefined): PluglotError {
  return new PluglotError('CALL_CANCELLED', 'The call was given up by its caller.', {
    cause: signal?.reason,
  });
}
