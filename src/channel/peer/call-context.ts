// What a handler knows of the request it answers, and how it answers before it is done.
import type { Id, Response } from '../message/message.ts';

/** Takes the answer; undefined when there is none: the caller gave the request up, or the protocol ends it by other means. */
export type Reply = (response: Response | undefined) => void;

export class CallContext {
  readonly id: Id;
  readonly method: string;
  readonly #reply: Reply;
  #isAnswered = false;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #whenAborted: (() => void) | undefined;

  constructor(id: Id, method: string, reply: Reply) {
    this.id = id;
    this.method = method;
    this.#reply = reply;
  }

  /** Fires when the caller gave the request up or the peer is closed. Made when asked for: an AbortController costs more than a small call. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** Calls when the signal fires, at once where it has fired; one listener at a time. The returned function ends that. */
  whenAborted(listener: () => void): () => void {
    this.#whenAborted = listener;
    if (this.#aborted !== undefined) listener();
    return () => (this.#whenAborted = undefined);
  }

  /** Answers now, while the handler goes on; what it returns or throws later is ignored. */
  respond(result: unknown): void {
    this.reply({ kind: 'success', id: this.id, result });
  }

  /** There will be no response: the protocol ends this request by other means. A closing peer still waits for the handler. */
  waiveResponse(): void {
    this.reply(undefined);
  }

  /** @internal The first answer counts. */
  reply(response: Response | undefined): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#reply(response);
  }

  /** @internal */
  abort(reason: Error): void {
    const isFirst = this.#aborted === undefined;
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
    if (isFirst) this.#whenAborted?.();
  }
}
