// Requests that cannot be sent yet, because too many are under way or the pipe is full. First come, first sent.
import { PluglotError } from '../../base/error.ts';
import { Fifo } from '../../base/fifo.ts';

export interface WaitingRequest {
  send(): void;
  fail(error: Error): void;
}

export class WaitingRoom {
  readonly #requests = new Fifo<WaitingRequest>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#requests.size;
  }

  /** @throws PluglotError TOO_MANY_CALLS when it is full. */
  enter(request: WaitingRequest): void {
    if (this.size >= this.#limit) {
      throw new PluglotError(
        'TOO_MANY_CALLS',
        `${this.size} requests already wait to be sent, which is the limit (maxWaiting). Await earlier ones first.`,
      );
    }
    this.#requests.push(request);
  }

  leave(request: WaitingRequest): void {
    this.#requests.remove(request);
  }

  /** Sends from the front for as long as there is room. */
  admit(hasRoom: () => boolean): void {
    while (this.size > 0 && hasRoom()) this.#requests.shift()?.send();
  }

  failAll(error: Error): void {
    for (const request of this.#requests.takeAll()) request.fail(error);
  }
}
