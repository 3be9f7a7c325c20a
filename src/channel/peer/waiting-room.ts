// Requests that cannot be sent yet, because too many are under way or the pipe has no room. First come, first sent.
import { PluglotError } from '../../base/error.ts';
import { Fifo } from '../../base/fifo.ts';

export interface WaitingRequest {
  /** When it came. */
  readonly since: number;
  /** How long the pipe may have no room for it. */
  readonly timeoutMs: number;
  /** Kept by the room. */
  waits: boolean;
  /** Never throws. */
  send(): void;
  fail(error: Error): void;
}

export type StuckRequest = { readonly request: WaitingRequest; readonly deadline: number };

/**
 * A turn is waited for without limit, since the calls before it have theirs, and a time limit counts from sending.
 * Room in the pipe is not: it may never come when the other end does not read.
 */
export class WaitingRoom implements Iterable<StuckRequest> {
  readonly #requests = new Fifo<WaitingRequest>();
  readonly #limit: number;
  #fullSince = Infinity;
  #shortestMs = Infinity;
  #admits = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#requests.size;
  }

  /** No request gives up before this. */
  get nextDeadline(): number {
    return this.#fullSince + this.#shortestMs;
  }

  /** @throws PluglotError TOO_MANY_CALLS when it is full. */
  enter(request: WaitingRequest): void {
    if (this.size >= this.#limit) {
      throw new PluglotError(
        'TOO_MANY_CALLS',
        `${this.size} requests already wait to be sent, which is the limit (maxWaiting). Await earlier ones first.`,
      );
    }
    if (this.size === 0) this.#shortestMs = Infinity;
    this.#shortestMs = Math.min(this.#shortestMs, request.timeoutMs);
    this.#requests.push(request);
    request.waits = true;
  }

  /** False when it was not there any more. */
  leave(request: WaitingRequest): boolean {
    if (!request.waits) return false;
    request.waits = false;
    this.#requests.remove(request);
    return true;
  }

  /** Sends from the front for as long as there is room. One that is answered or given up while it is sent makes room again. */
  admit(hasRoom: () => boolean): void {
    if (this.#admits) return;
    this.#admits = true;
    while (hasRoom()) {
      const request = this.#requests.shift();
      if (request === undefined) break;
      request.waits = false;
      request.send();
    }
    this.#admits = false;
  }

  failAll(error: Error): void {
    for (const request of this.#requests.takeAll()) {
      request.waits = false;
      request.fail(error);
    }
  }

  /** The pipe has no room since this moment; Infinity when it has. */
  pipeIsFull(since: number): void {
    this.#fullSince = since;
  }

  /** Those that wait for room in the pipe, with the moment up to which they do. */
  *[Symbol.iterator](): Iterator<StuckRequest> {
    if (this.#fullSince === Infinity) return;
    for (const request of this.#requests) {
      yield { request, deadline: Math.max(this.#fullSince, request.since) + request.timeoutMs };
    }
  }
}
