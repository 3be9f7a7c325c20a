// The last entries of a log that are shown, by where they came from.
import type { LogRecord } from '../../api/types.ts';

export type LogSource = 'all' | LogRecord['source'];

export interface KeptLog {
  readonly key: number;
  readonly record: LogRecord;
}

const KEPT = 2000;
const SHOWN = 300;

export class KeptLogs {
  #entries: KeptLog[] = [];
  #next = 0;

  add(record: LogRecord): void {
    this.#entries.push({ key: this.#next++, record });
    // Seldom, so that it costs nothing each time.
    if (this.#entries.length >= 2 * KEPT) this.#entries = this.#entries.slice(-KEPT);
  }

  /** The last of them. */
  of(source: LogSource): KeptLog[] {
    const found: KeptLog[] = [];
    for (let index = this.#entries.length - 1; index >= 0 && found.length < SHOWN; index--) {
      const entry = this.#entries[index];
      if (entry !== undefined && (source === 'all' || entry.record.source === source)) found.push(entry);
    }
    return found.reverse();
  }

  clear(): void {
    this.#entries = [];
  }
}
