// Requests that come while none can be sent: each waits for its turn and for room in the pipe, until it is sent or given up.
import { PluglotError } from '../../base/error.ts';
import { callCancelled, type CallOptions, type CallPort } from './call-options.ts';
import type { OpenExchange } from './exchange.ts';
import type { ResolvedPeerOptions } from './options.ts';
import type { Signals } from './signals.ts';
import type { Counters } from './stats.ts';
import { WaitingRoom, type StuckRequest, type WaitingRequest } from './waiting-room.ts';

/** What waiting needs of calling. */
export interface Caller {
  /** There is a turn and room for one more. */
  hasRoom(): boolean;
  start(method: string, params: unknown, options: CallOptions | undefined): OpenExchange;
  /** To be told of the moment when one that waits for room is due. */
  watch(deadline: number): void;
  /** One that waited may have made room, or was the last. */
  afterRelease(): void;
}

export class LateRequests implements Iterable<StuckRequest> {
  readonly #caller: Caller;
  readonly #port: CallPort;
  readonly #options: ResolvedPeerOptions;
  readonly #counters: Counters;
  readonly #signals: Signals;
  readonly #room: WaitingRoom;
  #waitsForRoom = false;

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
    this.#room = new WaitingRoom(options.maxWaiting);
  }

  get size(): number {
    return this.#room.size;
  }

  /** @throws PluglotError TOO_MANY_CALLS when too many wait, as a rejection. */
  add(method: string, params: unknown, options: CallOptions | undefined): Promise<unknown> {
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
              throw callCancelled(signal);
            }
            this.#caller.start(method, params, options).result.then(resolve, reject);
          } catch (error) {
            reject(error);
          }
        },
        fail: (error) => {
          callOff?.();
          reject(error);
        },
      };
      this.#room.enter(request);
      const callOff =
        signal &&
        this.#signals.follow(signal, () => {
          this.#room.leave(request);
          this.#counters.cancelled += 1;
          reject(callCancelled(signal));
          this.#caller.afterRelease();
        });
      if (this.#waitsForRoom) this.#caller.watch(request.since + request.timeoutMs);
      else this.admit();
    });
  }

  /** Sends what waits, as far as there is room; when the pipe is what is full, goes on when it has drained. */
  admit(): void {
    this.#room.admit(() => this.#caller.hasRoom());
    if (this.#room.size === 0 || this.#port.hasRoom) return;
    if (!this.#waitsForRoom) this.#waitForRoom();
  }

  expire(request: WaitingRequest): void {
    if (!this.#room.leave(request)) return;
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
    this.#room.failAll(error);
  }

  /** Those that wait for room in the pipe, with the moment up to which they do. */
  [Symbol.iterator](): Iterator<StuckRequest> {
    return this.#room[Symbol.iterator]();
  }

  #waitForRoom(): void {
    this.#waitsForRoom = true;
    this.#room.pipeIsFull(this.#options.clock.now());
    this.#caller.watch(this.#room.nextDeadline);
    const goOn = () => {
      this.#waitsForRoom = false;
      this.#room.pipeIsFull(Infinity);
      this.#caller.afterRelease();
    };
    this.#port.drained().then(goOn, (error: Error) => {
      this.#room.failAll(error);
      goOn();
    });
  }
}
