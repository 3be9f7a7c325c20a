// Sixth stage: neither too often, nor too much, nor too many at once.
import type { Clock } from '../../base/clock.ts';
import { late } from '../../base/within.ts';
import { over, type Attempt } from '../attempt.ts';
import type { Denial } from '../denial.ts';
import { Budget } from '../limits/budget.ts';
import { limitsOf, turnKey, type GateLimits, type Held, type Place } from '../limits/limit-options.ts';
import { Rates } from '../limits/rates.ts';
import { Turns, waitedTooLong, type Turn, type Waiting } from '../limits/turns.ts';
import { cancelled } from '../step.ts';

const WAIT_MS = 30_000;

export class Admission {
  readonly #ratesOf: (place: Place) => Held[];
  readonly #concurrentOf: (place: Place) => Held[];
  readonly #rates: Rates;
  readonly #budget: Budget;
  readonly #turns: Turns;
  readonly #waitMs: number;

  constructor(limits: GateLimits, clock: Clock) {
    this.#ratesOf = limitsOf('perMinute', limits.perMinute);
    this.#concurrentOf = limitsOf('concurrent', limits.concurrent);
    this.#rates = new Rates(clock);
    this.#budget = new Budget(limits.budget);
    this.#turns = new Turns(limits.waiting);
    this.#waitMs = limits.waiting?.ms ?? WAIT_MS;
  }

  /** At once where nothing is full. What a person types is not counted. */
  admit(attempt: Attempt, place: Place): Turn | Denial | Promise<Turn | Denial> {
    if (place.caller.kind === 'user') return { leave: () => {} };
    const refused = this.#rates.take(this.#ratesOf(place)) ?? this.#budget.spend(place);
    if (refused !== undefined) return refused;
    const taken = this.#turns.take(this.#concurrentOf(place), turnKey(place.caller, place.account));
    return 'turn' in taken ? this.#await(attempt, taken) : taken;
  }

  async #await(attempt: Attempt, waiting: Waiting): Promise<Turn | Denial> {
    const turn = await attempt.wait(waiting.turn, this.#waitMs);
    if (turn !== late && turn !== over) return turn;
    const { full } = waiting;
    waiting.giveUp();
    return turn === over ? cancelled(attempt) : waitedTooLong(full, this.#waitMs);
  }
}
