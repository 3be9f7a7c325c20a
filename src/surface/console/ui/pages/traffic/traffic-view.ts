// Which messages of the log fit the filter. It catches up in small steps, so that no filter stops the page, however long the log is.
import type { LoggedMessage, TrafficLog } from './traffic-log.ts';

export interface TrafficFilter {
  readonly plugin: string;
  /** A part of it, also of what is answered; with a minus before it, what is left out. */
  readonly method: string;
  /** Somewhere in the message, in any case. */
  readonly text: string;
  readonly from: '' | 'host' | 'plugin';
  /** Whether the questions whether a plugin is still there are shown too; they fill every list. */
  readonly pings: boolean;
}

export const noFilter: TrafficFilter = { plugin: '', method: '', text: '', from: '', pings: false };

/** Whether somebody looks for something. */
export function isFiltering({ plugin, method, text, from }: TrafficFilter): boolean {
  return [plugin, method, text, from].some((one) => one.trim() !== '');
}

/** By which hosts ask, in every dialect that has a word for it. */
const pings: ReadonlySet<string> = new Set(['ping', 'plugin.health']);

/** Asking for the time costs more than looking at some messages. */
const STEP = 200;

export class TrafficView {
  readonly #log: TrafficLog;
  #fits = matcher(noFilter);
  /** Positions in the log, ascending; those before #head are gone from it. */
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

  /** How many that fitted are gone since the filter was set: whoever looks at one of the rest can stay there. */
  get forgotten(): number {
    return this.#forgotten;
  }

  get isComplete(): boolean {
    return this.#cursor >= this.#log.end;
  }

  filter(filter: TrafficFilter): void {
    this.#fits = matcher(filter);
    this.#restart();
  }

  at(index: number): LoggedMessage | undefined {
    const position = this.#positions[this.#head + index];
    return position === undefined ? undefined : this.#log.at(position);
  }

  /** Where a message stands among those that fit; below zero when it does not. */
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

  /** Looks at more of the log until the time is up or all was seen; tells which. */
  advance(budgetMs: number, now: () => number = () => performance.now()): boolean {
    const until = now() + budgetMs;
    this.#cursor = Math.max(this.#cursor, this.#log.first);
    while (this.#cursor < this.#log.end) {
      const stop = Math.min(this.#cursor + STEP, this.#log.end);
      for (; this.#cursor < stop; this.#cursor++) {
        const message = this.#log.at(this.#cursor);
        if (message !== undefined && this.#fits(message)) this.#positions.push(this.#cursor);
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
    // Half of it used up: moving the rest costs no more than what was dropped since the last move.
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
  const isLeftOut = method.trim().startsWith('-');
  const inMethod = containing(isLeftOut ? method.trim().slice(1) : method);
  const inText = containing(text);
  return (message) =>
    (withPings || !pings.has(message.method)) &&
    (from === '' || message.from === from) &&
    (plugin === '' || message.plugin === plugin) &&
    (inMethod === undefined || inMethod.test(message.method) !== isLeftOut) &&
    (inText === undefined || inText.test(message.text ?? message.method));
}

/** Letters are taken as they are: an expression of the user could take for ever. */
function containing(text: string): RegExp | undefined {
  const wanted = text.trim();
  return wanted === ''
    ? undefined
    : new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`), 'i');
}
