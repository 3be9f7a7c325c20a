// Sixth stage: neither too often, nor too much, nor too many at once.
import type { Clock } from '../../base/clock.ts';
import { late } from '../../base/within.ts';
import { isOwner } from '../../definition/caller.ts';
import { over, type Attempt } from '../attempt.ts';
import { Denial } from '../denial.ts';
import { Budget } from '../limits/budget.ts';
import { limitsOf, turnKey, type GateLimits, type Held, type Place } from '../limits/limit-options.ts';
import { Rates } from '../limits/rates.ts';
import { Turns, waitedTooLong, type Turn, type Waiting } from '../limits/turns.ts';
import { cancelled } from '../step.ts';

const WAIT_MS = 30_000;

/** A place among those that are under way. */
export interface Admitted extends Turn {
  /** The call was not made after all: it counts for nothing. Once, before it leaves. */
  undo(): void;
}

const free: Admitted = { leave: () => {}, undo: () => {} };

export class Admission {
  readonly #clock: Clock;
  readonly #ratesOf: (place: Place) => Held[];
  readonly #concurrentOf: (place: Place) => Held[];
  readonly #rates: Rates;
  readonly #budget: Budget;
  readonly #turns: Turns;
  readonly #waitMs: number;

  constructor(limits: GateLimits, clock: Clock) {
    this.#clock = clock;
    this.#ratesOf = limitsOf('perMinute', limits.perMinute);
    this.#concurrentOf = limitsOf('concurrent', limits.concurrent);
    this.#rates = new Rates(clock);
    this.#budget = new Budget(limits.budget);
    this.#turns = new Turns(limits.waiting);
    this.#waitMs = limits.waiting?.ms ?? WAIT_MS;
  }

  /** At once where nothing is full. What the owner asks for is not counted. */
  admit(attempt: Attempt, place: Place): Admitted | Denial | Promise<Admitted | Denial> {
    if (isOwner(place.caller)) return free;
    const rates = this.#ratesOf(place);
    // Who would be refused in the end does not wait for it.
    const refused = this.#rates.refusal(rates) ?? this.#budget.refusal(place);
    if (refused !== undefined) return refused;
    const taken = this.#turns.take(this.#concurrentOf(place), turnKey(place.caller));
    return 'turn' in taken
      ? this.#await(attempt, taken).then((turn) => this.#count(place, rates, turn))
      : this.#count(place, rates, taken);
  }

  /** A call is counted when its turn has come: those that waited meanwhile may have used up what there was. */
  #count(place: Place, rates: readonly Held[], turn: Turn | Denial): Admitted | Denial {
    if (turn instanceof Denial) return turn;
    const refused = this.#budget.refusal(place) ?? this.#rates.take(rates);
    if (refused !== undefined) {
      turn.leave();
      return refused;
    }
    this.#budget.count(place, 1);
    const at = this.#clock.now();
    return {
      leave: () => turn.leave(),
      undo: () => {
        this.#rates.giveBack(rates, at);
        this.#budget.count(place, -1);
      },
    };
  }

  async #await(attempt: Attempt, waiting: Waiting): Promise<Turn | Denial> {
    const turn = await attempt.wait(waiting.turn, this.#waitMs);
    if (turn !== late && turn !== over) return turn;
    const { full } = waiting;
    waiting.giveUp();
    return turn === over ? cancelled(attempt) : waitedTooLong(full, this.#waitMs);
  }
}
