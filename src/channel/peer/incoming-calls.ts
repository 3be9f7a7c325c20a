// The requests that came in: finds the handler, runs it, sees that each is answered exactly once.
import { Fifo } from '../../base/queue.ts';
import type { ErrorObject, Id, Request, Response } from '../message/message.ts';
import { SERVER_BUSY, standardErrors, toErrorObject } from '../message/rpc-error.ts';
import { CallContext, type Reply } from './call-context.ts';

/** Answers with what it returns; a promise is waited for, a value is sent at once. Throw an RpcError to answer with that error. */
export type Handler = (params: unknown, context: CallContext) => unknown;

export interface IncomingOptions {
  /** One request at a time, in their order; or each as it comes. Notifications never wait. */
  readonly handling: 'serial' | 'concurrent';
  /** How many requests may run or wait; what is over it is answered with -32000 at once. */
  readonly maxHandling: number;
  /** Present where the protocol can cancel: only then requests are kept by id. */
  readonly cancel?: unknown;
}

type Call = { readonly context: CallContext; readonly params: unknown };

export class IncomingCalls {
  readonly #handlers = new Map<string, Handler>();
  readonly #options: IncomingOptions;
  readonly #whenIdle: () => void;
  /** Handlers that have not come to their end. */
  readonly #running = new Map<CallContext, 'awaited' | 'cancelled'>();
  readonly #queue = new Fifo<Call>();
  /** What runs or waits and can be cancelled. */
  readonly #byId: Map<Id, Call> | undefined;
  #otherwise: Handler | undefined;
  #cancelled = 0;
  #held = false;
  #refusal: string | undefined;

  constructor(options: IncomingOptions, whenIdle: () => void) {
    this.#options = options;
    this.#whenIdle = whenIdle;
    this.#byId = options.cancel === undefined ? undefined : new Map();
  }

  /** How many run or wait. A cancelled one counts for as long as its handler runs: else cancelling would be a way around the limit. */
  get size(): number {
    return this.#running.size + this.#queue.size;
  }

  /** How many of them are still to be answered. */
  get unanswered(): number {
    return this.size - this.#cancelled;
  }

  handle(method: string, handler: Handler): void {
    this.#handlers.set(method, handler);
  }

  handleOthers(handler: Handler): void {
    this.#otherwise = handler;
  }

  take(request: Request, reply: Reply): void {
    if (this.#refusal !== undefined) {
      reply(failure(request.id, { code: SERVER_BUSY, message: this.#refusal }));
    } else if (this.size >= this.#options.maxHandling) {
      const message = `Too many requests: ${this.size} are under way, which is the limit`;
      reply(failure(request.id, { code: SERVER_BUSY, message }));
    } else if (!this.#mayRun()) {
      const call = { context: new CallContext(request.id, request.method, reply), params: request.params };
      this.#queue.push(call);
      this.#byId?.set(request.id, call);
    } else {
      this.#run(new CallContext(request.id, request.method, reply), request.params);
    }
  }

  /** The caller gave a request up. It gets no answer, as the caller no longer waits. */
  cancel(id: Id, reason: Error): void {
    const call = this.#byId?.get(id);
    if (call === undefined) return;
    this.#byId?.delete(id);
    if (this.#running.has(call.context)) {
      this.#running.set(call.context, 'cancelled');
      this.#cancelled += 1;
    } else {
      this.#queue.remove(call);
    }
    call.context.abort(reason);
    call.context.reply(undefined);
    if (this.unanswered === 0) this.#whenIdle();
  }

  /** What comes from now on waits. */
  hold(): void {
    this.#held = true;
  }

  /** Ends the hold. */
  release(): void {
    this.#held = false;
    this.#next();
  }

  /** Takes no more requests: they are answered with this. */
  refuse(message: string): void {
    this.#refusal = message;
  }

  /** Ends all that runs or waits, without answers. */
  abort(reason: Error): void {
    const running = [...this.#running.keys()];
    this.#running.clear();
    this.#byId?.clear();
    this.#cancelled = 0;
    for (const context of running) {
      context.abort(reason);
      context.reply(undefined);
    }
    for (const { context } of this.#queue.takeAll()) context.reply(undefined);
    this.#whenIdle();
  }

  #run(context: CallContext, params: unknown): void {
    const { id, method } = context;
    const handler = this.#handlers.get(method) ?? this.#otherwise;
    if (handler === undefined) {
      context.reply(failure(id, standardErrors.methodNotFound));
      return;
    }
    let result: unknown;
    let isLater: boolean;
    try {
      result = handler(params, context);
      isLater = isPromiseLike(result);
    } catch (thrown) {
      context.reply(failure(id, toErrorObject(thrown)));
      return;
    }
    // A handler that answers at once costs no promise.
    if (isLater) this.#await(context, result as PromiseLike<unknown>);
    else context.reply({ kind: 'success', id, result });
  }

  #await(context: CallContext, result: PromiseLike<unknown>): void {
    this.#running.set(context, 'awaited');
    this.#byId?.set(context.id, { context, params: undefined });
    const finish = (response: Response) => this.#finish(context, response);
    try {
      result.then(
        (value) => finish({ kind: 'success', id: context.id, result: value }),
        (thrown: unknown) => finish(failure(context.id, toErrorObject(thrown))),
      );
    } catch (thrown) {
      finish(failure(context.id, toErrorObject(thrown)));
    }
  }

  #finish(context: CallContext, response: Response): void {
    const state = this.#running.get(context);
    if (state === undefined) return;
    this.#running.delete(context);
    if (state === 'cancelled') this.#cancelled -= 1;
    else {
      this.#forget(context);
      context.reply(response);
    }
    this.#next();
  }

  /** An id that was used twice at once names the later request. */
  #forget(context: CallContext): void {
    if (this.#byId?.get(context.id)?.context === context) this.#byId.delete(context.id);
  }

  #mayRun(): boolean {
    return !this.#held && (this.#options.handling === 'concurrent' || this.#running.size === 0);
  }

  #next(): void {
    while (this.#mayRun()) {
      const call = this.#queue.shift();
      if (call === undefined) break;
      this.#forget(call.context);
      this.#run(call.context, call.params);
    }
    if (this.unanswered === 0) this.#whenIdle();
  }
}

function failure(id: Id, error: ErrorObject): Response {
  return { kind: 'failure', id, error };
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
