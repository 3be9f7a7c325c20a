// The log of a plugin: the last entries in bounded memory, and listeners for new ones.
import { Emitter } from '../../../base/emitter.ts';
import { type Json, jsonSize } from '../../../base/json.ts';
import type { LogLevel } from '../../../definition/tool.ts';

export interface LogRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `plugin`: its own log messages. `stderr`, `stdout`: what it printed, where stdout is for messages. `host`: what happened to it. */
  readonly source: 'plugin' | 'stderr' | 'stdout' | 'host';
  readonly level: LogLevel;
  readonly message: string;
  readonly data?: Json;
  /** The id of the call it belongs to. */
  readonly call?: string;
  /** The id of the trace that this call is a part of. */
  readonly trace?: string;
}

export interface KeptRecord extends LogRecord {
  /** Counts all entries of this log, also those that are no longer kept: 1 is the first. */
  readonly seq: number;
}

export interface LogBook {
  /** What is kept, the oldest first. */
  readonly entries: readonly KeptRecord[];
  /** Called with every entry from now on; the returned function ends it. */
  follow(listener: (entry: KeptRecord) => void): () => void;
}

export interface LogLimits {
  /** @default 1000 */
  readonly entries?: number;
  /** In characters. @default 1,048,576 */
  readonly characters?: number;
}

/** Longer messages are cut, longer data is left out. */
export const MESSAGE_MAX = 16 * 1024;
const ENTRY_COST = 100;

export class LogRing implements LogBook {
  readonly #entriesMax: number;
  readonly #charactersMax: number;
  #entries: ({ readonly record: KeptRecord; readonly cost: number } | undefined)[] = [];
  #first = 0;
  #characters = 0;
  #seq = 0;
  readonly #followers = new Emitter<KeptRecord>();

  constructor(limits: LogLimits = {}) {
    this.#entriesMax = limits.entries ?? 1000;
    this.#charactersMax = limits.characters ?? 1024 * 1024;
  }

  get entries(): readonly KeptRecord[] {
    return this.#entries.flatMap((entry) => (entry === undefined ? [] : [entry.record]));
  }

  follow(listener: (entry: KeptRecord) => void): () => void {
    return this.#followers.add(listener);
  }

  write({ source, level, message, data, call, trace }: Omit<LogRecord, 'at'>): void {
    const dataSize = data === undefined ? 0 : jsonSize(data);
    const entry = { seq: (this.#seq += 1), at: Date.now(), source, level, message: cut(message) };
    const named = call === undefined ? entry : { ...entry, call };
    const base: KeptRecord = trace === undefined ? named : { ...named, trace };
    const record = data === undefined || dataSize > MESSAGE_MAX ? base : { ...base, data };
    const cost = ENTRY_COST + record.message.length + (record === base ? 0 : dataSize);
    this.#entries.push({ record, cost });
    this.#characters += cost;
    while (this.#entries.length - this.#first > this.#entriesMax || this.#characters > this.#charactersMax)
      this.#dropFirst();
    this.#followers.emit(record);
  }

  #dropFirst(): void {
    const entry = this.#entries[this.#first];
    this.#entries[this.#first] = undefined;
    this.#first += 1;
    if (entry !== undefined) this.#characters -= entry.cost;
    // Half of it used up: moving the rest costs no more than what was dropped since the last move.
    if (this.#first * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }
}

function cut(message: string): string {
  return message.length <= MESSAGE_MAX ? message : `${message.slice(0, MESSAGE_MAX)} …`;
}
