// One call on its way through the gate, with what each stage found out about it.
import { type Clock, Deadlines, type Expiring } from '../base/clock.ts';
import { late } from '../base/async.ts';
import type { Caller, Execution } from '../definition/caller.ts';
import type { CallRequest } from './call-request.ts';
import { Denial, type AskedOf, type DenialMethod } from './denial.ts';
import type { PinFinding } from './pins/definition-pins.ts';
import type { Subject, Verdict } from './policy/policy.ts';
import type { Target } from './target.ts';

/** What a wait ends with when the call was given up. */
export const over = Symbol('over');

/** How long one of our own parts may take to decide something. */
export const STAGE_MS = 10_000;

export type Waited<Value> = Value | typeof late | typeof over;

/** Why a call may be made, and how. */
export interface Allowance {
  readonly method: DenialMethod;
  readonly reason: string;
  readonly askedOf?: AskedOf;
  /** How a command line in the arguments runs. */
  readonly execution?: Execution | undefined;
}

export class GatedCall implements Expiring {
  readonly request: CallRequest;
  readonly id: string;
  readonly caller: Caller;
  /** Set by the stage that resolves the name. */
  target!: Target;
  /** Set when the arguments are validated. */
  subject!: Subject;
  /** Set by the policy, and by the pins where the definition is not the approved one. */
  verdict!: Verdict;
  pin!: PinFinding;
  /** Set by the approval stage. */
  allowance!: Allowance;
  /** Of the current wait. */
  deadline = Infinity;
  onGivenUp: ((reason: string) => void) | undefined;
  readonly #owner: GatedCalls;
  #release: ((how: typeof late | typeof over) => void) | undefined;
  #givenUp: string | undefined;

  constructor(owner: GatedCalls, request: CallRequest) {
    this.#owner = owner;
    this.request = request;
    this.id = request.id;
    this.caller = request.caller;
  }

  /** Why it was given up; undefined while it is wanted. */
  get givenUp(): string | undefined {
    return this.#givenUp;
  }

  /** Resolves at the latest at the limit, or when the call is given up. A call waits for one thing at a time. */
  wait<Value>(promise: PromiseLike<Value>, limitMs: number): Promise<Waited<Value>> {
    if (this.#givenUp !== undefined) {
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
          // The waiting stage reports what failed.
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  giveUp(reason: string): void {
    if (this.#givenUp !== undefined) return;
    this.#givenUp = reason;
    this.#release?.(over);
    this.onGivenUp?.(reason);
  }

  /** The denial of a call that was given up. */
  cancelled(): Denial {
    const message = this.#givenUp ?? 'The call was given up.';
    return new Denial('cancelled', { code: 'CALL_CANCELLED', message });
  }

  /** The deadline of the current wait has passed. */
  expire(): void {
    this.#release?.(late);
  }
}

/** All calls in the gate, with one timer for all their deadlines. */
export class GatedCalls {
  readonly #clock: Clock;
  readonly #all = new Set<GatedCall>();
  readonly #deadlines: Deadlines<GatedCall>;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#deadlines = new Deadlines(clock, [this.#all], (call) => call.expire());
  }

  get size(): number {
    return this.#all.size;
  }

  open(request: CallRequest): GatedCall {
    const call = new GatedCall(this, request);
    this.#all.add(call);
    return call;
  }

  done(call: GatedCall): void {
    this.#all.delete(call);
  }

  /** @returns the deadline, which is watched from now on */
  watch(limitMs: number): number {
    const deadline = this.#clock.now() + limitMs;
    if (deadline < Infinity) this.#deadlines.watch(deadline);
    return deadline;
  }

  giveUpAll(reason: string): void {
    for (const call of this.#all) call.giveUp(reason);
  }

  stop(): void {
    this.#deadlines.stop();
  }
}
