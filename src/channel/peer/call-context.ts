// What a handler knows of the request it answers.
import type { Id } from '../message/message.ts';

export class CallContext {
  readonly id: Id;
  readonly method: string;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  constructor(id: Id, method: string) {
    this.id = id;
    this.method = method;
  }

  /** Fires when the caller gave the request up or the peer is closed. Made when asked for: an AbortController costs more than a small call. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** @internal */
  abort(reason: Error): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }
}
