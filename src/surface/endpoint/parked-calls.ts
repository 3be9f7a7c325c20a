// Calls that wait for their client to come back with an answer. Who does not come in time has given the call up.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { ClientCall } from './client-call.ts';

/** Who waits longest goes first. */
const PARKED_MAX = 1000;

interface Parked {
  readonly call: ClientCall;
  /** Who may come back for it. */
  readonly owner: string;
  callOff(): void;
}

export class ParkedCalls {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #parked = new Map<string, Parked>();

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  get size(): number {
    return this.#parked.size;
  }

  /** What the client has to bring back; nobody can guess it. */
  park(call: ClientCall, owner: string): string {
    const state = randomBytes(24).toString('base64url');
    const callOff = this.#clock.after(this.#limitMs, () => this.#drop(state));
    this.#parked.set(state, { call, owner, callOff });
    const [oldest] = this.#parked.keys();
    if (this.#parked.size > PARKED_MAX && oldest !== undefined) this.#drop(oldest);
    return state;
  }

  /** Once. Undefined: it is not there any more, or somebody else's. */
  take(state: string, owner: string): ClientCall | undefined {
    const parked = this.#parked.get(state);
    if (parked === undefined || parked.owner !== owner) return undefined;
    this.#parked.delete(state);
    parked.callOff();
    return parked.call;
  }

  /** Those of one who may not come back for them. */
  drop(isTheirs: (owner: string) => boolean): void {
    for (const [state, { owner }] of this.#parked) if (isTheirs(owner)) this.#drop(state);
  }

  close(): void {
    this.drop(() => true);
  }

  #drop(state: string): void {
    const parked = this.#parked.get(state);
    this.#parked.delete(state);
    parked?.callOff();
    parked?.call.cancel('The client did not come back with an answer.');
  }
}
