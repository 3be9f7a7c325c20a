// Limits the rate, the budget and the number of calls at once.
import type { Clock } from '../../base/clock.ts';
import { late } from '../../base/async.ts';
import { isOwner } from '../../definition/caller.ts';
import { ownPart } from '../../definition/plugin-spec.ts';
import { Denial } from '../denial.ts';
import { over, type GatedCall } from '../gated-call.ts';
import {
  limitsOf,
  turnKey,
  type GateLimits,
  type Held,
  type Place,
  type BudgetTable,
} from './limit-options.ts';
import { Turns, waitedTooLong, type Turn, type Waiting } from './turns.ts';

const WAIT_MS = 30_000;

/** The right to make one call, until `leave()`. */
interface Admitted extends Turn {
  /** The call was not made: it costs no rate and no budget. At most once, before `leave()`. */
  undo(): void;
}

const unlimited: Admitted = { leave: () => {}, undo: () => {} };

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

  /** Without a promise where nothing is full. Calls of the owner are not counted. */
  admit(call: GatedCall): Admitted | Denial | Promise<Admitted | Denial> {
    const { subject } = call;
    const place: Place = { ...subject, tool: subject.name };
    if (isOwner(place.caller)) return unlimited;
    const rates = this.#ratesOf(place);
    // A call that would be refused in the end does not wait first.
    const refused = this.#rates.refusal(rates) ?? this.#budget.refusal(place);
    if (refused !== undefined) return refused;
    const taken = this.#turns.take(this.#concurrentOf(place), turnKey(place.caller));
    return 'turn' in taken
      ? this.#await(call, taken).then((turn) => this.#count(place, rates, turn))
      : this.#count(place, rates, taken);
  }

  /** Counted when its turn has come: others may have used up the rate or budget meanwhile. */
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

  async #await(call: GatedCall, waiting: Waiting): Promise<Turn | Denial> {
    const turn = await call.wait(waiting.turn, this.#waitMs);
    if (turn !== late && turn !== over) return turn;
    const { full } = waiting;
    waiting.giveUp();
    return turn === over ? call.cancelled() : waitedTooLong(full, this.#waitMs);
  }
}

/** Counts calls for as long as the gate lives. */
class Budget {
  readonly #callers: ReadonlyMap<string, number>;
  readonly #tools: ReadonlyMap<string, number>;
  readonly #tool: number | undefined;
  readonly #spent = new Map<string, number>();

  constructor({ callers = {}, tool, tools = {} }: BudgetTable = {}) {
    this.#callers = new Map(Object.entries(callers));
    this.#tools = new Map(Object.entries(tools));
    this.#tool = tool;
  }

  /** What is spent already; undefined: the call can be made. */
  refusal({ tool, caller }: Place): Denial | undefined {
    const ofCaller = this.#callers.get(caller.kind);
    if (this.#isSpent(`caller:${caller.kind}`, ofCaller))
      return spent(`callers of the kind "${caller.kind}"`, ofCaller, 'callers');
    const named = this.#named(tool);
    const ofTool = named ?? this.#tool;
    if (this.#isSpent(`tool:${tool}`, ofTool))
      return spent(`"${tool}"`, ofTool, named === undefined ? 'tool' : 'tools');
    return undefined;
  }

  /** Counts a call, or with -1 takes one back that was not made. */
  count({ tool, caller }: Place, by: 1 | -1): void {
    if (this.#callers.has(caller.kind)) this.#add(`caller:${caller.kind}`, by);
    if ((this.#named(tool) ?? this.#tool) !== undefined) this.#add(`tool:${tool}`, by);
  }

  /** By its full name, or by its own. */
  #named(tool: string): number | undefined {
    return this.#tools.get(tool) ?? this.#tools.get(ownPart(tool));
  }

  #isSpent(key: string, limit: number | undefined): boolean {
    return limit !== undefined && (this.#spent.get(key) ?? 0) >= limit;
  }

  #add(key: string, by: 1 | -1): void {
    this.#spent.set(key, (this.#spent.get(key) ?? 0) + by);
  }
}

function spent(of: string, limit: number | undefined, setting: string): Denial {
  return new Denial('budget', {
    code: 'BUDGET_SPENT',
    message: `All ${limit} calls of ${of} that this session may make are spent (gate.limits.budget.${setting}).`,
    reason: 'budget',
  });
}

const MINUTE_MS = 60_000;
/** Callers may be named by strangers. */
const WINDOWS_MAX = 20_000;
const SWEEP_MS = 1000;

export class Rates {
  readonly #clock: Clock;
  readonly #windows = new Map<string, RateWindow>();
  #sweptAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts the call under all of them, or under none and returns the reason. */
  take(held: readonly Held[]): Denial | undefined {
    return this.#look(held, (window, now) => window.take(now));
  }

  /** Why it could not be counted now. */
  refusal(held: readonly Held[]): Denial | undefined {
    return this.#look(held, () => {});
  }

  /** The call that was counted then was not made. */
  giveBack(held: readonly Held[], at: number): void {
    for (const { key } of held) this.#windows.get(key)?.giveBack(at);
  }

  #look(held: readonly Held[], use: (window: RateWindow, now: number) => void): Denial | undefined {
    if (held.length === 0) return undefined;
    const now = this.#clock.now();
    const windows: RateWindow[] = [];
    for (const one of held) {
      const window = this.#windowOf(one, now);
      if (window === undefined) return crowded();
      const waitMs = window.waitMs(now);
      if (waitMs > 0) return tooOften(one, waitMs);
      windows.push(window);
    }
    for (const window of windows) use(window, now);
    return undefined;
  }

  #windowOf({ key, limit }: Held, now: number): RateWindow | undefined {
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    if (this.#windows.size >= WINDOWS_MAX && !this.#makeRoom(now)) return undefined;
    const window = new RateWindow(limit);
    this.#windows.set(key, window);
    return window;
  }

  /** A counter that was not used for a minute has expired. All of them are checked once in a while. */
  #makeRoom(now: number): boolean {
    if (now - this.#sweptAt < SWEEP_MS) return false;
    this.#sweptAt = now;
    for (const [key, window] of this.#windows) if (window.isIdle(now)) this.#windows.delete(key);
    return this.#windows.size < WINDOWS_MAX;
  }
}

/** The moments of the calls of the last minute: never more than its limit, so none of them is looked at twice. */
export class RateWindow {
  readonly #limit: number;
  #times: number[] = [];
  /** Where the oldest stands that still counts. */
  #oldest = 0;

  constructor(limit: number) {
    this.#limit = Math.max(0, Math.floor(limit));
  }

  /** 0: now. */
  waitMs(now: number): number {
    this.#forget(now);
    if (this.#times.length - this.#oldest < this.#limit) return 0;
    const oldest = this.#times[this.#oldest];
    return oldest === undefined ? Infinity : oldest + MINUTE_MS - now;
  }

  take(now: number): void {
    this.#times.push(now);
  }

  giveBack(at: number): void {
    const index = this.#times.lastIndexOf(at);
    if (index >= this.#oldest) this.#times.splice(index, 1);
  }

  isIdle(now: number): boolean {
    this.#forget(now);
    return this.#times.length === 0;
  }

  #forget(now: number): void {
    while ((this.#times[this.#oldest] ?? Infinity) <= now - MINUTE_MS) this.#oldest += 1;
    // Half of it used up: moving the rest costs no more than what was forgotten since the last move.
    if (this.#oldest * 2 < this.#times.length || this.#oldest === 0) return;
    this.#times = this.#times.slice(this.#oldest);
    this.#oldest = 0;
  }
}

function tooOften({ limit, of, setting }: Held, waitMs: number): Denial {
  const never = `No call of ${of} is allowed (gate.${setting} is ${limit}).`;
  if (waitMs === Infinity)
    return new Denial('rate', { code: 'RATE_LIMITED', message: never, reason: 'rate' });
  const seconds = Math.ceil(waitMs / 1000);
  return new Denial('rate', {
    code: 'RATE_LIMITED',
    message: `More than ${limit} calls a minute of ${of} are not allowed (gate.${setting}). Try again in ${seconds} s.`,
    reason: 'rate',
    recoverable: true,
    data: { retryAfterMs: Math.ceil(waitMs) },
  });
}

function crowded(): Denial {
  return new Denial('rate', {
    code: 'RATE_LIMITED',
    message: `More than ${WINDOWS_MAX} callers, tools and plugins were active in this minute. Try again later.`,
    reason: 'rate',
    recoverable: true,
  });
}
