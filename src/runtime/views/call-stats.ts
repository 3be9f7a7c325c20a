// What can be counted of calls that pass the gate: by plugin, and by tool and outcome. A call costs two additions and a look into a map.
import type { Clock } from '../../base/clock.ts';
import type { Outcome } from '../../definition/outcome.ts';
import type { CallObserver, CallWatch, ObservedCall } from '../../gate/observer.ts';

/** Upper bounds in seconds. */
export const durationBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 300] as const;

/** Names come from plugins: more than these are counted together. */
const PLUGINS_MAX = 1000;
const TOOLS_MAX = 2000;
export const OTHERS = '(others)';

export interface PluginCounts {
  calls: number;
  failures: number;
  running: number;
  seconds: number;
  /** How many took at most as long as each of the bounds, and last all others. */
  readonly durations: number[];
  readonly latency: Latency;
  readonly perSecond: PerSecond;
}

export interface ToolCounts {
  readonly plugin: string;
  readonly tool: string;
  /** By `ok` or the code of the failure. */
  readonly outcomes: Map<string, number>;
}

export class CallStats implements CallObserver {
  readonly #clock: Clock;
  readonly #changed: (plugin: string) => void;
  readonly #plugins = new Map<string, PluginCounts>();
  readonly #tools = new Map<string, ToolCounts>();
  /** Calls that were not made, by the code of the refusal. */
  readonly refused = new Map<string, number>();

  constructor(clock: Clock, changed: (plugin: string) => void = () => {}) {
    this.#clock = clock;
    this.#changed = changed;
  }

  get plugins(): ReadonlyMap<string, PluginCounts> {
    return this.#plugins;
  }

  get tools(): Iterable<ToolCounts> {
    return this.#tools.values();
  }

  /** Inputs of a conversation are counted by the conversation. */
  asked({ kind }: Pick<ObservedCall, 'kind'>): CallWatch | undefined {
    return kind === 'talk' ? undefined : this.watch();
  }

  /** Of one call. */
  watch(): Required<Omit<CallWatch, 'trace'>> {
    return new StatWatch(this);
  }

  /** A call is made. */
  begun(plugin: string): PluginCounts {
    const counts = this.#pluginOf(plugin);
    counts.running += 1;
    this.#changed(plugin);
    return counts;
  }

  ended(plugin: string, tool: string, outcome: Outcome, ms: number, counts: PluginCounts): void {
    counts.running -= 1;
    this.#count(counts, outcome, ms);
    addTo(this.#toolOf(plugin, tool).outcomes, wordOf(outcome));
    this.#changed(plugin);
  }

  /** A call that was asked for is not made. */
  notMade(outcome: Outcome): void {
    addTo(this.refused, wordOf(outcome));
  }

  get now(): number {
    return this.#clock.now();
  }

  #count(counts: PluginCounts, { ok }: Outcome, ms: number): void {
    counts.calls += 1;
    if (!ok) counts.failures += 1;
    counts.latency.record(ms);
    counts.perSecond.count();
    const seconds = ms / 1000;
    counts.seconds += seconds;
    const bound = durationBounds.findIndex((limit) => seconds <= limit);
    const at = bound === -1 ? durationBounds.length : bound;
    counts.durations[at] = (counts.durations[at] ?? 0) + 1;
  }

  #pluginOf(name: string): PluginCounts {
    const key = this.#plugins.has(name) || this.#plugins.size < PLUGINS_MAX ? name : OTHERS;
    let counts = this.#plugins.get(key);
    if (counts === undefined) {
      counts = {
        calls: 0,
        failures: 0,
        running: 0,
        seconds: 0,
        durations: Array<number>(durationBounds.length + 1).fill(0),
        latency: new Latency(this.#clock),
        perSecond: new PerSecond(this.#clock),
      };
      this.#plugins.set(key, counts);
    }
    return counts;
  }

  #toolOf(plugin: string, tool: string): ToolCounts {
    const name = `${plugin}\n${tool}`;
    const isKnown = this.#tools.has(name) || this.#tools.size < TOOLS_MAX;
    const key = isKnown ? name : OTHERS;
    let counts = this.#tools.get(key);
    if (counts === undefined) {
      counts = isKnown
        ? { plugin, tool, outcomes: new Map() }
        : { plugin: OTHERS, tool: OTHERS, outcomes: new Map() };
      this.#tools.set(key, counts);
    }
    return counts;
  }
}

class StatWatch implements CallWatch {
  readonly #stats: CallStats;
  #counts: PluginCounts | undefined;
  #plugin = '';
  #tool = '';
  #began = 0;

  constructor(stats: CallStats) {
    this.#stats = stats;
  }

  begun(plugin: string, tool: string): void {
    this.#plugin = plugin;
    this.#tool = tool;
    this.#counts = this.#stats.begun(plugin);
    this.#began = this.#stats.now;
  }

  ended(outcome: Outcome): void {
    if (this.#counts === undefined) this.#stats.notMade(outcome);
    else this.#stats.ended(this.#plugin, this.#tool, outcome, this.#stats.now - this.#began, this.#counts);
  }
}

function addTo(counts: Map<string, number>, word: string): void {
  counts.set(word, (counts.get(word) ?? 0) + 1);
}

function wordOf(outcome: Outcome): string {
  return outcome.ok ? 'ok' : outcome.error.code;
}

const STEPS = 8;
/** From a microsecond to an hour. */
const SIZE = 32 * STEPS;
const TURN_MS = 5 * 60_000;

export class Latency {
  readonly #clock: Clock;
  #now = new Uint32Array(SIZE);
  #before = new Uint32Array(SIZE);
  #turnedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#turnedAt = clock.now();
  }

  record(ms: number): void {
    this.#turn();
    const at = indexOf(ms);
    this.#now[at] = (this.#now[at] ?? 0) + 1;
  }

  /** What so large a part of them did not exceed, up to a tenth; 0 when there were none. */
  percentile(part: number): number {
    this.#turn();
    let total = 0;
    for (let at = 0; at < SIZE; at++) total += this.#count(at);
    let left = Math.ceil(total * part);
    if (left === 0) return 0;
    for (let at = 0; at < SIZE; at++) {
      left -= this.#count(at);
      if (left <= 0) return valueOf(at);
    }
    return valueOf(SIZE - 1);
  }

  #count(at: number): number {
    return (this.#now[at] ?? 0) + (this.#before[at] ?? 0);
  }

  #turn(): void {
    const passed = this.#clock.now() - this.#turnedAt;
    if (passed < TURN_MS) return;
    this.#turnedAt += passed;
    // After a long pause nothing of before counts.
    this.#before = passed < 2 * TURN_MS ? this.#now : new Uint32Array(SIZE);
    this.#now = new Uint32Array(SIZE);
  }
}

function indexOf(ms: number): number {
  const step = Math.floor(Math.log2(ms * 1000) * STEPS);
  return step > 0 ? Math.min(step, SIZE - 1) : 0;
}

/** The middle of a step, to three digits. */
function valueOf(at: number): number {
  return Number((2 ** ((at + 0.5) / STEPS) / 1000).toPrecision(3));
}

const SECONDS = 60;

export class PerSecond {
  readonly #clock: Clock;
  readonly #counts = new Uint32Array(SECONDS);
  #second: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#second = secondOf(clock);
  }

  count(): void {
    this.#moveOn();
    const at = this.#second % SECONDS;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  /** The oldest first; the last is the one that goes on. */
  get counts(): readonly number[] {
    this.#moveOn();
    return Array.from(
      { length: SECONDS },
      (_, index) => this.#counts[(this.#second + 1 + index) % SECONDS] ?? 0,
    );
  }

  #moveOn(): void {
    const now = secondOf(this.#clock);
    const passed = Math.min(now - this.#second, SECONDS);
    for (let step = 1; step <= passed; step++) this.#counts[(now - passed + step) % SECONDS] = 0;
    this.#second = now;
  }
}

function secondOf(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}
