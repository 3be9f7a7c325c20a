// The requests that came in: finds the handler, runs it, sees that each is answered exactly once.
import { Fifo } from '../../base/fifo.ts';
import type { ErrorObject, Id, Request, Response } from '../message/message.ts';
import { SERVER_BUSY, standardErrors, toErrorObject } from '../message/rpc-error.ts';
import { CallContext } from './call-context.ts';

/** Answers with what it returns; a promise is waited for, a value is sent at once. Throw an RpcError to answer with that error. */
export type Handler = (params: unknown, context: CallContext) => unknown;

/** Takes the answer; undefined when there shall be none, because the caller gave the request up. */
export type Reply = (response: Response | undefined) => void;

export interface IncomingOptions {
  /** One request at a time, in their order; or each as it comes. Notifications never wait. */
  readonly handling: 'serial' | 'concurrent';
  /** How many requests may run or wait; what is over it is answered with -32000 at once. */
  readonly maxHandling: number;
}

type Waiting = { readonly request: Request; readonly reply: Reply };

export class IncomingCalls {
  readonly #handlers = new Map<string, Handler>();
  readonly #options: IncomingOptions;
  readonly #whenIdle: () => void;
  readonly #running = new Map<CallContext, Reply>();
  readonly #queue = new Fifo<Waiting>();
  #refusal: string | undefined;

  constructor(options: IncomingOptions, whenIdle: () => void) {
    this.#options = options;
    this.#whenIdle = whenIdle;
  }

  get size(): number {
    return this.#running.size + this.#queue.size;
  }

  handle(method: string, handler: Handler): void {
    this.#handlers.set(method, handler);
  }

  take(request: Request, reply: Reply): void {
    if (this.#refusal !== undefined) {
      reply(failure(request.id, { code: SERVER_BUSY, message: this.#refusal }));
    } else if (this.size >= this.#options.maxHandling) {
      const message = `Too many requests: ${this.size} are under way, which is the limit`;
      reply(failure(request.id, { code: SERVER_BUSY, message }));
    } else if (this.#options.handling === 'serial' && this.#running.size > 0) {
      this.#queue.push({ request, reply });
    } else {
      this.#run(request, reply);
    }
  }

  /** The caller gave a request up. It gets no answer, as nobody waits for one. */
  cancel(id: Id, reason: Error): void {
    for (const [context, reply] of this.#running) {
      if (context.id !== id) continue;
      this.#running.delete(context);
      context.abort(reason);
      reply(undefined);
      this.#next();
      return;
    }
    this.#queue.remove((waiting) => waiting.request.id === id)?.reply(undefined);
  }

  /** Takes no more requests: they are answered with this. */
  refuse(message: string): void {
    this.#refusal = message;
  }

  /** Ends all that runs or waits, without answers. */
  abort(reason: Error): void {
    const running = [...this.#running];
    this.#running.clear();
    for (const [context, reply] of running) {
      context.abort(reason);
      reply(undefined);
    }
    for (const waiting of this.#queue.takeAll()) waiting.reply(undefined);
    this.#whenIdle();
  }

  #run(request: Request, reply: Reply): void {
    const { id, method } = request;
    const handler = this.#handlers.get(method);
    if (handler === undefined) {
      reply(failure(id, standardErrors.methodNotFound));
      return;
    }
    const context = new CallContext(id, method);
    let result: unknown;
    try {
      result = handler(request.params, context);
    } catch (thrown) {
      reply(failure(id, toErrorObject(thrown)));
      return;
    }
    // A handler that answers at once costs no promise.
    if (isPromiseLike(result)) this.#await(context, result, reply);
    else reply({ kind: 'success', id, result });
  }

  #await(context: CallContext, result: PromiseLike<unknown>, reply: Reply): void {
    this.#running.set(context, reply);
    const finish = (response: Response) => {
      if (!this.#running.delete(context)) return;
      reply(response);
      this.#next();
    };
    result.then(
      (value) => finish({ kind: 'success', id: context.id, result: value }),
      (thrown: unknown) => finish(failure(context.id, toErrorObject(thrown))),
    );
  }

  #next(): void {
    while (this.#running.size === 0) {
      const waiting = this.#queue.shift();
      if (waiting === undefined) break;
      this.#run(waiting.request, waiting.reply);
    }
    if (this.size === 0) this.#whenIdle();
  }
}

export function failure(id: Id, error: ErrorObject): Response {
  return { kind: 'failure', id, error };
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
