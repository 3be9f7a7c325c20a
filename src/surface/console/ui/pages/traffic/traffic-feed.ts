// Brings messages to the store in their order and without gaps: what the host still keeps is read page by page, and what comes meanwhile
// waits for its turn.
import type { TrafficEntry } from '../../api/types.ts';

export interface TrafficFeedPorts {
  /** Of all that is kept behind a number, the first so many; `last` is the number of the newest there was. */
  readonly page: (since: number, limit: number, signal: AbortSignal) => Promise<TrafficPageTold>;
  readonly receive: (entries: readonly TrafficEntry[]) => void;
  /** So many are nowhere any more. */
  readonly lost: (count: number) => void;
  /** Of the newest that was received. */
  readonly lastSeq: () => number;
  /** Resolves when what was received is worked off: a page at a time is enough. */
  readonly settled: () => Promise<void>;
}

interface TrafficPageTold {
  readonly entries: readonly TrafficEntry[];
  readonly last: number;
  /** Characters of the answer. */
  readonly size: number;
}

/** Larger answers take too long to be read at once. */
const PAGE_CHARACTERS = 400_000;
const FIRST_PAGE = 50;
const PAGE_MIN = 10;
const PAGE_MAX = 2000;
/** Of those that came while older ones are read; as many as the page ever shows. */
const AHEAD_MAX = 100_000;

export class TrafficFeed {
  readonly #ports: TrafficFeedPorts;
  #ahead: TrafficEntry[] | undefined;
  #filling = new AbortController();
  #limit = FIRST_PAGE;

  constructor(ports: TrafficFeedPorts) {
    this.#ports = ports;
  }

  /** From now on all that happens is told live; what was before is asked for. */
  opened(): void {
    this.#filling.abort();
    this.#ahead = [];
    void this.#fill();
  }

  closed(): void {
    this.#filling.abort();
    this.#ahead = undefined;
  }

  live(entries: readonly TrafficEntry[]): void {
    const [first] = entries;
    if (first === undefined) return;
    const isGap = this.#ahead === undefined && first.seq > this.#ports.lastSeq() + 1;
    if (isGap) this.#ahead = [];
    if (this.#ahead === undefined) return this.#ports.receive(entries);
    for (const entry of entries) this.#ahead.push(entry);
    if (this.#ahead.length > 2 * AHEAD_MAX) this.#ahead = this.#ahead.slice(-AHEAD_MAX);
    if (isGap) void this.#fill();
  }

  async #fill(): Promise<void> {
    const { signal } = (this.#filling = new AbortController());
    try {
      while (await this.#isMore(signal)) await this.#ports.settled();
    } catch {
      // What cannot be had is told below, by the numbers that are missing.
    }
    if (signal.aborted) return;
    const ahead = this.#ahead ?? [];
    this.#ahead = undefined;
    const last = this.#ports.lastSeq();
    this.#take(ahead.filter(({ seq }) => seq > last));
  }

  /** Reads a page; false when what comes next is already here, or nothing is left. */
  async #isMore(signal: AbortSignal): Promise<boolean> {
    const since = this.#ports.lastSeq();
    const { entries, last, size } = await this.#ports.page(since, this.#limit, signal);
    if (signal.aborted) return false;
    // A host that was started again counts anew.
    if (last < since) {
      this.#ahead = (this.#ahead ?? []).filter(({ seq }) => seq <= last);
      const { entries: anew } = await this.#ports.page(0, this.#limit, signal);
      this.#take(anew);
      return anew.length > 0;
    }
    if (entries.length === 0) return false;
    const fitting = (entries.length * PAGE_CHARACTERS) / Math.max(1, size);
    this.#limit = Math.round(Math.min(PAGE_MAX, Math.max(PAGE_MIN, fitting)));
    this.#take(entries);
    const next = this.#ports.lastSeq() + 1;
    const [first] = this.#ahead ?? [];
    return first === undefined ? next <= last : first.seq > next;
  }

  #take(entries: readonly TrafficEntry[]): void {
    const [first] = entries;
    if (first === undefined) return;
    const last = this.#ports.lastSeq();
    // What was before anybody looked is no loss.
    if (last > 0 && first.seq > last + 1) this.#ports.lost(first.seq - last - 1);
    this.#ports.receive(entries);
  }
}
