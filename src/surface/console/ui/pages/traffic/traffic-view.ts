// The messages of the log that match the filter, found in small steps so that a long log cannot block the page.
import type { LoggedMessage, TrafficLog } from './traffic-log.ts';

export interface TrafficFilter {
  readonly plugin: string;
  /** Part of the method, also for responses; with a leading minus, excluded instead. */
  readonly method: string;
  /** Anywhere in the message; case does not matter. */
  readonly text: string;
  readonly from: '' | 'host' | 'plugin';
  /** Whether health checks are shown; they would fill every list. */
  readonly pings: boolean;
}

export const noFilter: TrafficFilter = { plugin: '', method: '', text: '', from: '', pings: false };

/** Whether the user has set a filter. */
export function isFiltering({ plugin, method, text, from }: TrafficFilter): boolean {
  return [plugin, method, text, from].some((one) => one.trim() !== '');
}

/** The methods of health checks, in all dialects. */
const pings: ReadonlySet<string> = new Set(['ping', 'plugin.health']);

/** Messages between two looks at the clock. */
const STEP = 200;

export class TrafficView {
  readonly #log: TrafficLog;
  #matches = matcher(noFilter);
  /** Positions in the log, ascending; those before #head are no longer in the log. */
  #positions: number[] = [];
  #head = 0;
  #cursor = 0;
  #forgotten = 0;

  constructor(log: TrafficLog) {
    this.#log = log;
    this.#cursor = log.first;
  }

  get count(): number {
    return this.#positions.length - this.#head;
  }

  /** How many matches have left the log since the filter was set, to keep the scroll position. */
  get forgotten(): number {
    return this.#forgotten;
  }

  get isComplete(): boolean {
    return this.#cursor >= this.#log.end;
  }

  filter(filter: TrafficFilter): void {
    this.#matches = matcher(filter);
    this.#restart();
  }

  at(index: number): LoggedMessage | undefined {
    const position = this.#positions[this.#head + index];
    return position === undefined ? undefined : this.#log.at(position);
  }

  /** The index among the matches; -1 where it is not one. */
  indexOf(position: number): number {
    let low = this.#head;
    let high = this.#positions.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.#positions[middle] ?? 0;
      if (found === position) return middle - this.#head;
      if (found < position) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Continues through the log until the time is up. @returns whether the end was reached */
  advance(budgetMs: number, now: () => number = () => performance.now()): boolean {
    const until = now() + budgetMs;
    this.#cursor = Math.max(this.#cursor, this.#log.first);
    while (this.#cursor < this.#log.end) {
      const stop = Math.min(this.#cursor + STEP, this.#log.end);
      for (; this.#cursor < stop; this.#cursor++) {
        const message = this.#log.at(this.#cursor);
        if (message !== undefined && this.#matches(message)) this.#positions.push(this.#cursor);
      }
      if (now() >= until) break;
    }
    this.#forget();
    return this.isComplete;
  }

  #forget(): void {
    const { first } = this.#log;
    const before = this.#head;
    while (this.#head < this.#positions.length && (this.#positions[this.#head] ?? 0) < first) this.#head += 1;
    this.#forgotten += this.#head - before;
    // Only when half of it is unused, so that the cost of moving stays proportional.
    if (this.#head * 2 <= this.#positions.length) return;
    this.#positions = this.#positions.slice(this.#head);
    this.#head = 0;
  }

  #restart(): void {
    this.#positions = [];
    this.#head = 0;
    this.#forgotten = 0;
    this.#cursor = this.#log.first;
  }
}

function matcher({
  plugin,
  method,
  text,
  from,
  pings: withPings,
}: TrafficFilter): (message: LoggedMessage) => boolean {
  const isExcluded = method.trim().startsWith('-');
  const inMethod = containing(isExcluded ? method.trim().slice(1) : method);
  const inText = containing(text);
  return (message) =>
    (withPings || !pings.has(message.method)) &&
    (from === '' || message.from === from) &&
    (plugin === '' || message.plugin === plugin) &&
    (inMethod === undefined || inMethod.test(message.method) !== isExcluded) &&
    (inText === undefined || inText.test(message.text ?? message.method));
}

/** The text is matched literally: an expression of the user could take for ever. */
function containing(text: string): RegExp | undefined {
  const wanted = text.trim();
  return wanted === ''
    ? undefined
    : new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`), 'i');
}
