// Calls that wait to be sent. Callers take turns, so that one who asks for much does not keep out the others; each is served in order.
import { Fifo } from '../../base/queue.ts';
import type { OpenCall } from './open-call.ts';

export class FairQueue implements Iterable<OpenCall> {
  /** In the order of their turns. */
  readonly #callers = new Map<string, Fifo<OpenCall>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(call: OpenCall): void {
    let calls = this.#callers.get(call.queueKey);
    if (calls === undefined) {
      calls = new Fifo();
      this.#callers.set(call.queueKey, calls);
    }
    calls.push(call);
    this.#size += 1;
  }

  shift(): OpenCall | undefined {
    for (const [caller, calls] of this.#callers) {
      const call = calls.shift();
      // The next turn is that of another.
      this.#callers.delete(caller);
      if (calls.size > 0) this.#callers.set(caller, calls);
      if (call === undefined) continue;
      this.#size -= 1;
      return call;
    }
    return undefined;
  }

  /** It has to be in the queue. */
  remove(call: OpenCall): void {
    const calls = this.#callers.get(call.queueKey);
    if (calls === undefined) return;
    calls.remove(call);
    if (calls.size === 0) this.#callers.delete(call.queueKey);
    this.#size -= 1;
  }

  takeAll(): OpenCall[] {
    const all = [...this];
    this.#callers.clear();
    this.#size = 0;
    return all;
  }

  *[Symbol.iterator](): Iterator<OpenCall> {
    for (const calls of this.#callers.values()) yield* calls;
  }
}
