// Calls of tools on a pipe, past the official client: a server of before 2026 needs nothing of it for them, and what it does for each would
// take longer than all else of a short call.
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/client';
import { methods, notifications } from './schema.ts';

export type StraightEnd = { readonly result: unknown } | { readonly error: unknown };

/** The client counts its own requests from 0, and will not get here. */
const FIRST_ID = 0x4000_0000;
/** Some servers keep ids in 32 bits. */
const LAST_ID = 0x7fff_ffff;

export class StraightCalls {
  readonly #send: (message: JSONRPCMessage) => Promise<void>;
  readonly #waiting = new Map<number, (end: StraightEnd) => void>();
  #lastId = FIRST_ID - 1;

  constructor(send: (message: JSONRPCMessage) => Promise<void>) {
    this.#send = send;
  }

  /** `ended` hears once how it ended, unless it was given up; the returned id is for that. */
  call(params: NonNullable<JSONRPCRequest['params']>, ended: (end: StraightEnd) => void): number {
    const id = this.#nextId();
    this.#waiting.set(id, ended);
    this.#send({ jsonrpc: '2.0', id, method: methods.callTool, params }).catch((error: unknown) =>
      this.taken(id)?.({ error }),
    );
    return id;
  }

  #nextId(): number {
    do this.#lastId = this.#lastId === LAST_ID ? FIRST_ID : this.#lastId + 1;
    while (this.#waiting.has(this.#lastId));
    return this.#lastId;
  }

  /** Nobody waits for it any more, which the server is told. */
  giveUp(id: number, reason: string): void {
    if (!this.#waiting.delete(id)) return;
    const params = { requestId: id, reason };
    this.#send({ jsonrpc: '2.0', method: notifications.cancelled, params }).catch(() => {
      // The end of the pipe is told by the pipe.
    });
  }

  /** Whoever waits for the answer of this id, and from now on has it. `"7"` answers our 7. */
  taken(id: unknown): ((end: StraightEnd) => void) | undefined {
    const number = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id;
    if (typeof number !== 'number') return undefined;
    const ended = this.#waiting.get(number);
    if (ended !== undefined) this.#waiting.delete(number);
    return ended;
  }

  /** No answer can come any more. */
  end(error: Error): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const ended of waiting) ended({ error });
  }
}
