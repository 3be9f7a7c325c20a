// The last entries of a log that are shown, by where they came from.
import type { LogRecord } from '../../api/types.ts';

export type LogSource = 'all' | LogRecord['source'];

export const logSources: readonly {
  readonly name: LogSource;
  readonly label: string;
  readonly title: string;
}[] = [
  { name: 'all', label: 'All', title: 'Everything, in its order' },
  { name: 'stderr', label: 'stderr', title: 'What the process printed to stderr' },
  { name: 'stdout', label: 'stdout', title: 'What it printed between its messages' },
  { name: 'plugin', label: 'Logged', title: 'What the plugin logged in its dialect' },
  { name: 'host', label: 'Host', title: 'What happened to it' },
];

export interface KeptLog {
  readonly key: number;
  readonly record: LogRecord;
}

const KEPT = 2000;
const SHOWN = 300;

export class KeptLogs {
  #entries: KeptLog[] = [];
  #next = 0;
  readonly #sources = new Set<LogSource>();

  add(record: LogRecord): void {
    this.#entries.push({ key: this.#next++, record });
    this.#sources.add(record.source);
    // Seldom, so that it costs nothing each time.
    if (this.#entries.length >= 2 * KEPT) this.#entries = this.#entries.slice(-KEPT);
  }

  /** Whether anything ever came from there. */
  has(source: LogSource): boolean {
    return this.#sources.has(source);
  }

  /** The last of them. */
  of(source: LogSource, limit = SHOWN): KeptLog[] {
    const found: KeptLog[] = [];
    for (let index = this.#entries.length - 1; index >= 0 && found.length < limit; index--) {
      const entry = this.#entries[index];
      if (entry !== undefined && (source === 'all' || entry.record.source === source)) found.push(entry);
    }
    return found.reverse();
  }

  /** What the process printed to stderr since it was last started; of one that printed nothing, nothing. */
  printedLast(limit: number): LogRecord[] {
    const printed: LogRecord[] = [];
    for (let index = this.#entries.length - 1; index >= 0 && printed.length < limit; index--) {
      const record = this.#entries[index]?.record;
      if (record?.source === 'host' && record.message === 'starting' && printed.length > 0) break;
      if (record?.source === 'stderr') printed.push(record);
    }
    return printed.reverse();
  }

  clear(): void {
    this.#entries = [];
    this.#sources.clear();
  }
}
