// How many at once: who is over a limit waits in line for what is full, and lines are bounded.
import { deferred, type Deferred } from '../../base/async.ts';
import { Denial } from '../denial.ts';
import type { Held, WaitingLimits } from './limit-options.ts';
import { Fifo } from '../../base/queue.ts';

/** A place among those that are under way. */
export interface Turn {
  /** When the call is over. Again is nothing. */
  leave(): void;
}

/** A place in line. */
export interface Waiting {
  readonly turn: Promise<Turn>;
  /** Why it waits, for the error of a caller that gives up. */
  readonly full: Held;
  /** The caller has stopped waiting; a turn that came meanwhile is given back. */
  giveUp(): void;
}

interface Waiter {
  readonly caller: string;
  readonly held: readonly Held[];
  readonly granted: Deferred<Turn>;
  /** What is full. */
  blockedBy: Held;
  turn: Turn | undefined;
}

const free: Turn = { leave: () => {} };

export class Turns {
  readonly #maxWaiting: number;
  readonly #maxPerCaller: number;
  readonly #underWay = new Map<string, number>();
  /** By what they wait for. */
  readonly #lines = new Map<string, WaitingLine<Waiter>>();
  readonly #waitingByCaller = new Map<string, number>();
  #waiting = 0;

  constructor({ all = 1000, caller = 250 }: WaitingLimits = {}) {
    this.#maxWaiting = all;
    this.#maxPerCaller = caller;
  }

  get waiting(): number {
    return this.#waiting;
  }

  take(held: readonly Held[], caller: string): Turn | Waiting | Denial {
    if (held.length === 0) return free;
    const full = this.#firstFull(held);
    if (full === undefined) return this.#enter(held);
    if (full.limit <= 0) return never(full);
    if (this.#waiting >= this.#maxWaiting) return crowded(full, `${this.#waiting} calls`);
    const own = this.#waitingByCaller.get(caller) ?? 0;
    if (own >= this.#maxPerCaller) return crowded(full, `${own} of "${caller}"`);
    return this.#wait({ caller, held, granted: deferred(), blockedBy: full, turn: undefined });
  }

  #firstFull(held: readonly Held[]): Held | undefined {
    return held.find(({ key, limit }) => (this.#underWay.get(key) ?? 0) >= limit);
  }

  #enter(held: readonly Held[]): Turn {
    for (const { key } of held) this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1);
    let isOver = false;
    return {
      leave: () => {
        if (isOver) return;
        isOver = true;
        this.#leave(held);
      },
    };
  }

  #leave(held: readonly Held[]): void {
    for (const { key } of held) {
      const left = (this.#underWay.get(key) ?? 0) - 1;
      if (left > 0) this.#underWay.set(key, left);
      else this.#underWay.delete(key);
    }
    for (const one of held) this.#serve(one);
  }

  /** Lets in whom it can; one that something else keeps out waits for that from now on. */
  #serve({ key, limit }: Held): void {
    const line = this.#lines.get(key);
    if (line === undefined) return;
    while ((this.#underWay.get(key) ?? 0) < limit) {
      const waiter = line.shift();
      if (waiter === undefined) break;
      const full = this.#firstFull(waiter.held);
      if (full === undefined) {
        this.#count(waiter.caller, -1);
        waiter.turn = this.#enter(waiter.held);
        waiter.granted.resolve(waiter.turn);
      } else this.#lineUp(waiter, full);
    }
    if (line.isEmpty) this.#lines.delete(key);
  }

  #wait(waiter: Waiter): Waiting {
    this.#count(waiter.caller, 1);
    this.#lineUp(waiter, waiter.blockedBy);
    let isOver = false;
    return {
      turn: waiter.granted.promise,
      get full() {
        return waiter.blockedBy;
      },
      giveUp: () => {
        if (isOver) return;
        isOver = true;
        if (waiter.turn === undefined) this.#stepOut(waiter);
        else waiter.turn.leave();
      },
    };
  }

  #lineUp(waiter: Waiter, full: Held): void {
    waiter.blockedBy = full;
    let line = this.#lines.get(full.key);
    if (line === undefined) {
      line = new WaitingLine();
      this.#lines.set(full.key, line);
    }
    line.push(waiter);
  }

  #stepOut(waiter: Waiter): void {
    const { key } = waiter.blockedBy;
    const line = this.#lines.get(key);
    line?.remove(waiter);
    if (line?.isEmpty === true) this.#lines.delete(key);
    this.#count(waiter.caller, -1);
  }

  #count(caller: string, by: 1 | -1): void {
    this.#waiting += by;
    const own = (this.#waitingByCaller.get(caller) ?? 0) + by;
    if (own > 0) this.#waitingByCaller.set(caller, own);
    else this.#waitingByCaller.delete(caller);
  }
}

export function waitedTooLong({ limit, of, setting }: Held, waitMs: number): Denial {
  return tooMany(
    `The call waited ${waitMs / 1000} s for a turn: ${limit} calls of ${of} are under way, and more are not allowed at once (gate.${setting}).`,
  );
}

function crowded({ limit, of, setting }: Held, waiting: string): Denial {
  return tooMany(
    `${limit} calls of ${of} are under way, more are not allowed at once (gate.${setting}), and ${waiting} wait already (gate.limits.waiting).`,
  );
}

function never({ of, setting }: Held): Denial {
  return tooMany(`No call of ${of} is allowed (gate.${setting} is 0).`);
}

function tooMany(message: string): Denial {
  return new Denial('concurrency', {
    code: 'TOO_MANY_CALLS',
    message,
    reason: 'concurrency',
    recoverable: true,
  });
}

/** Calls that wait for a turn. Callers take turns, so that one with many calls does not delay the others; the calls of each are in order. */
class WaitingLine<Waiter extends { readonly caller: string }> {
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
