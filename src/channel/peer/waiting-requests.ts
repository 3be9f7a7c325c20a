// Requests that cannot be sent yet, because too many are under way or the pipe has no room. First come, first sent.
import { PluglotError } from '../../base/error.ts';
import { Fifo } from '../../base/queue.ts';
import type { Id, Message } from '../message/message.ts';
import type { OpenExchange } from './exchange.ts';
import type { CallOptions, ResolvedPeerOptions } from './options.ts';
import type { Signals } from './signals.ts';
import type { Counters } from './stats.ts';

/** What sending requests needs of the peer. */
export interface CallPort {
  send(message: Message, about?: Id): boolean;
  readonly hasRoom: boolean;
  drained(): Promise<void>;
}

/** What waiting needs of sending. */
export interface Caller {
  /** Whether one more request may be sent now. */
  hasRoom(): boolean;
  start(method: string, params: unknown, options: CallOptions | undefined): OpenExchange;
  /** Watches the deadline of a request that waits for room in the pipe. */
  watch(deadline: number): void;
  /** A request that waited may have made room, or was the last. */
  afterRelease(): void;
}

interface WaitingRequest {
  /** When it came. */
  readonly since: number;
  /** How long the pipe may have no room for it. */
  readonly timeoutMs: number;
  isWaiting: boolean;
  /** Never throws. */
  send(): void;
  fail(error: Error): void;
}

export type StuckRequest = { readonly request: WaitingRequest; readonly deadline: number };

/**
 * Waiting for a turn has no limit, since the calls before it have theirs, and a time limit counts from sending. Waiting for room in
 * the pipe has one: room may never come when the other end does not read.
 */
export class WaitingRequests implements Iterable<StuckRequest> {
  readonly #caller: Caller;
  readonly #port: CallPort;
  readonly #options: ResolvedPeerOptions;
  readonly #counters: Counters;
  readonly #signals: Signals;
  readonly #requests = new Fifo<WaitingRequest>();
  /** Since when the pipe has no room; Infinity while it has. */
  #fullSince = Infinity;
  /** The shortest time limit of those that wait. */
  #shortestMs = Infinity;
  #isAdmitting = false;

  constructor(
    caller: Caller,
    port: CallPort,
    options: ResolvedPeerOptions,
    counters: Counters,
    signals: Signals,
  ) {
    this.#caller = caller;
    this.#port = port;
    this.#options = options;
    this.#counters = counters;
    this.#signals = signals;
  }

  get size(): number {
    return this.#requests.size;
  }

  /** Rejects with TOO_MANY_CALLS when too many wait. */
  add(method: string, params: unknown, options: CallOptions | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const signal = options?.signal;
      const request: WaitingRequest = {
        since: this.#options.clock.now(),
        timeoutMs: options?.timeoutMs ?? this.#options.timeoutMs,
        isWaiting: true,
        send: () => {
          unfollow?.();
          try {
            // One signal may abort many: the first of them makes room for the others before they are notified.
            if (signal?.aborted === true) {
              this.#counters.cancelled += 1;
              throw callCancelled(signal);
            }
            this.#caller.start(method, params, options).result.then(resolve, reject);
          } catch (error) {
            reject(error);
          }
        },
        fail: (error) => {
          unfollow?.();
          reject(error);
        },
      };
      this.#enter(request);
      const unfollow =
        signal &&
        this.#signals.follow(signal, () => {
          this.#leave(request);
          this.#counters.cancelled += 1;
          reject(callCancelled(signal));
          this.#caller.afterRelease();
        });
      if (this.#fullSince !== Infinity) this.#caller.watch(request.since + request.timeoutMs);
      else this.admit();
    });
  }

  /** Sends from the front as far as there is room; when the pipe is full, continues when it has drained. */
  admit(): void {
    this.#sendFromFront();
    if (this.size === 0 || this.#port.hasRoom) return;
    if (this.#fullSince === Infinity) this.#waitForRoom();
  }

  expire(request: WaitingRequest): void {
    if (!this.#leave(request)) return;
    this.#counters.timeouts += 1;
    request.fail(
      new PluglotError(
        'CALL_TIMEOUT',
        `A request could not be sent to ${this.#options.name} within ${request.timeoutMs} ms: the pipe is full, as the other end does not read.`,
      ),
    );
    this.#caller.afterRelease();
  }

  failAll(error: Error): void {
    for (const request of this.#requests.takeAll()) {
      request.isWaiting = false;
      request.fail(error);
    }
  }

  /** Those that wait for room in the pipe, with their deadlines. */
  *[Symbol.iterator](): Iterator<StuckRequest> {
    if (this.#fullSince === Infinity) return;
    for (const request of this.#requests)
      yield { request, deadline: Math.max(this.#fullSince, request.since) + request.timeoutMs };
  }

  /** @throws PluglotError TOO_MANY_CALLS */
  #enter(request: WaitingRequest): void {
    if (this.size >= this.#options.maxWaiting) {
      throw new PluglotError(
        'TOO_MANY_CALLS',
        `${this.size} requests already wait to be sent, which is the limit (maxWaiting). Await earlier ones first.`,
      );
    }
    if (this.size === 0) this.#shortestMs = Infinity;
    this.#shortestMs = Math.min(this.#shortestMs, request.timeoutMs);
    this.#requests.push(request);
  }

  /** False when it no longer waits. */
  #leave(request: WaitingRequest): boolean {
    if (!request.isWaiting) return false;
    request.isWaiting = false;
    this.#requests.remove(request);
    return true;
  }

  /** A request that is answered or given up while it is sent makes room again. */
  #sendFromFront(): void {
    if (this.#isAdmitting) return;
    this.#isAdmitting = true;
    while (this.#caller.hasRoom()) {
      const request = this.#requests.shift();
      if (request === undefined) break;
      request.isWaiting = false;
      request.send();
    }
    this.#isAdmitting = false;
  }

  #waitForRoom(): void {
    this.#fullSince = this.#options.clock.now();
    this.#caller.watch(this.#fullSince + this.#shortestMs);
    const resume = () => {
      this.#fullSince = Infinity;
      this.#caller.afterRelease();
    };
    this.#port.drained().then(resume, (error: Error) => {
      this.failAll(error);
      resume();
    });
  }
}

export function callCancelled(signal: AbortSignal): PluglotError {
  return new PluglotError('CALL_CANCELLED', 'The call was given up by its caller.', {
    cause: signal.reason,
  });
}
