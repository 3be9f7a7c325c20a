// One passage through the gate, from the moment it is asked for until it is decided or over. It waits for one thing at a time.
import type { Clock } from '../base/clock.ts';
import { Deadlines, type Expiring } from '../base/deadlines.ts';
import { late } from '../base/within.ts';
import type { Trace } from '../base/trace.ts';
import type { Caller } from '../definition/caller.ts';
import type { ResolvedContent } from '../fleet/registry/resolved.ts';
import type { Approver } from './approval/approver.ts';
import type { CallKind } from './policy/policy.ts';

/** What came instead of what was waited for: nobody wants it any more. */
export const over = Symbol('over');

export type Waited<Value> = Value | typeof late | typeof over;

export interface Asked {
  readonly id: string;
  readonly kind: CallKind;
  readonly name: string;
  readonly caller: Caller;
  readonly trace?: Trace | undefined;
  /** Asked about it instead of whoever is asked usually. */
  readonly approver?: Approver | undefined;
  /** Why its caller is not shown it; it is refused then. */
  readonly notShown?: string | undefined;
  /** What is asked for, where no name of a tool or command leads to it. */
  readonly content?: ResolvedContent | undefined;
}

export class Attempt implements Expiring, Asked {
  readonly id: string;
  readonly kind: CallKind;
  readonly name: string;
  readonly caller: Caller;
  readonly trace: Trace | undefined;
  readonly approver: Approver | undefined;
  readonly notShown: string | undefined;
  readonly content: ResolvedContent | undefined;
  /** Of what it waits for now. */
  deadline = Infinity;
  /** Told why it was given up. */
  whenGivenUp: ((reason: string) => void) | undefined;
  readonly #owner: Attempts;
  #release: ((how: typeof late | typeof over) => void) | undefined;
  #ending: string | undefined;

  constructor(owner: Attempts, { id, kind, name, caller, trace, approver, notShown, content }: Asked) {
    this.#owner = owner;
    this.id = id;
    this.kind = kind;
    this.name = name;
    this.caller = caller;
    this.trace = trace;
    this.approver = approver;
    this.notShown = notShown;
    this.content = content;
  }

  /** Why it was given up; undefined while it goes on. */
  get ending(): string | undefined {
    return this.#ending;
  }

  /** Ends at the latest with the limit or with the attempt; what comes later is nobody's. */
  wait<Value>(promise: PromiseLike<Value>, limitMs: number): Promise<Waited<Value>> {
    if (this.#ending !== undefined) {
      promise.then(undefined, () => {});
      return Promise.resolve(over);
    }
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#release = undefined;
        this.deadline = Infinity;
      };
      const release = (how: typeof late | typeof over) => {
        end();
        resolve(how);
      };
      this.#release = release;
      this.deadline = this.#owner.watch(limitMs);
      promise.then(
        (value) => {
          if (this.#release === release) end();
          resolve(value);
        },
        (error: unknown) => {
          if (this.#release === release) end();
          // What a part of the gate rejects with is looked at where it is waited for.
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  giveUp(reason: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = reason;
    this.#release?.(over);
    this.whenGivenUp?.(reason);
  }

  /** Its time is over. */
  expire(): void {
    this.#release?.(late);
  }
}

/** All that are on their way, with one timer for the limits of all. */
export class Attempts {
  readonly #clock: Clock;
  readonly #all = new Set<Attempt>();
  readonly #deadlines: Deadlines<Attempt>;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#deadlines = new Deadlines(clock, [this.#all], (attempt) => attempt.expire());
  }

  get size(): number {
    return this.#all.size;
  }

  open(asked: Asked): Attempt {
    const attempt = new Attempt(this, asked);
    this.#all.add(attempt);
    return attempt;
  }

  done(attempt: Attempt): void {
    this.#all.delete(attempt);
  }

  /** When so much time will be over; it is looked at then. */
  watch(limitMs: number): number {
    const deadline = this.#clock.now() + limitMs;
    if (deadline < Infinity) this.#deadlines.watch(deadline);
    return deadline;
  }

  giveUpAll(reason: string): void {
    for (const attempt of this.#all) attempt.giveUp(reason);
  }

  stop(): void {
    this.#deadlines.stop();
  }
}
