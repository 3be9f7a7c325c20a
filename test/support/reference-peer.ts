// A peer as one would write it in an afternoon: a Map, JSON.parse, promises. Ours must be able to talk to it, and to behave like it.
import type { RawEnd } from './raw-end.ts';

/** What both can do. */
export interface CallEnd {
  request(method: string, params?: unknown): Promise<unknown>;
  notify(method: string, params?: unknown): unknown;
  batch(
    calls: readonly { readonly method: string; readonly params?: unknown; readonly notify?: boolean }[],
  ): Promise<PromiseSettledResult<unknown>[]>;
  handle(method: string, handler: (params: unknown) => unknown): void;
  onNotification(method: string, listener: (params: unknown) => void): void;
}

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };
type Wire = { id?: unknown; method?: string; params?: unknown; result?: unknown; error?: ErrorObject };
type ErrorObject = { code: number; message: string; data?: unknown };

class RemoteError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: ErrorObject) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class ReferencePeer implements CallEnd {
  readonly #end: RawEnd;
  readonly #pending = new Map<unknown, Waiting>();
  readonly #handlers = new Map<string, (params: unknown) => unknown>();
  readonly #listeners = new Map<string, (params: unknown) => void>();
  #lastId = 0;

  constructor(end: RawEnd) {
    this.#end = end;
    end.onMessage((message) => void this.#receive(message));
  }

  request(method: string, params?: unknown): Promise<unknown> {
    const { message, result } = this.#prepare(method, params);
    this.#end.send(message);
    return result;
  }

  notify(method: string, params?: unknown): void {
    this.#end.notify(method, params);
  }

  batch(
    calls: readonly { readonly method: string; readonly params?: unknown; readonly notify?: boolean }[],
  ): Promise<PromiseSettledResult<unknown>[]> {
    const prepared = calls.map(({ method, params, notify }) =>
      notify === true
        ? { message: { jsonrpc: '2.0', method, params }, result: Promise.resolve(undefined) }
        : this.#prepare(method, params),
    );
    this.#end.send(prepared.map(({ message }) => message));
    return Promise.allSettled(prepared.map(({ result }) => result));
  }

  handle(method: string, handler: (params: unknown) => unknown): void {
    this.#handlers.set(method, handler);
  }

  onNotification(method: string, listener: (params: unknown) => void): void {
    this.#listeners.set(method, listener);
  }

  #prepare(method: string, params: unknown): { message: unknown; result: Promise<unknown> } {
    this.#lastId += 1;
    const id = this.#lastId;
    const result = new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    return { message: { jsonrpc: '2.0', id, method, params }, result };
  }

  async #receive(message: unknown): Promise<void> {
    if (!Array.isArray(message)) {
      const answer = await this.#receiveSingle(message as Wire);
      if (answer !== undefined) this.#end.send(answer);
      return;
    }
    const answers = await Promise.all(message.map((item) => this.#receiveSingle(item as Wire)));
    const present = answers.filter((answer) => answer !== undefined);
    if (present.length > 0) this.#end.send(present);
  }

  async #receiveSingle({ id, method, params, result, error }: Wire): Promise<unknown> {
    if (method !== undefined) {
      if (id !== undefined) return this.#answer(id, method, params);
      this.#listeners.get(method)?.(params);
      return undefined;
    }
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new RemoteError(error));
    return undefined;
  }

  async #answer(id: unknown, method: string, params: unknown): Promise<unknown> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) {
      return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
    }
    try {
      return { jsonrpc: '2.0', id, result: (await handler(params)) ?? null };
    } catch (thrown) {
      const { code = -32603, message, data } = thrown as Partial<ErrorObject>;
      return { jsonrpc: '2.0', id, error: { code, message, data } };
    }
  }
}
