// Who waits for a turn. Callers take turns, so that one who asks for much does not keep out the others; each is served in order.
import { Fifo } from '../../base/fifo.ts';

export class WaitingLine<Waiter extends { readonly caller: string }> {
  /** In the order of their turns. */
  readonly #callers = new Map<string, Fifo<Waiter>>();

  get isEmpty(): boolean {
    return this.#callers.size === 0;
  }

  push(waiter: Waiter): void {
    let own = this.#callers.get(waiter.caller);
    if (own === undefined) {
      own = new Fifo();
      this.#callers.set(waiter.caller, own);
    }
    own.push(waiter);
  }

  shift(): Waiter | undefined {
    for (const [caller, own] of this.#callers) {
      const waiter = own.shift();
      // The next turn is that of another.
      this.#callers.delete(caller);
      if (own.size > 0) this.#callers.set(caller, own);
      if (waiter !== undefined) return waiter;
    }
    return undefined;
  }

  /** It has to be in the line. */
  remove(waiter: Waiter): void {
    const own = this.#callers.get(waiter.caller);
    if (own === undefined) return;
    own.remove(waiter);
    if (own.size === 0) this.#callers.delete(waiter.caller);
  }
}
