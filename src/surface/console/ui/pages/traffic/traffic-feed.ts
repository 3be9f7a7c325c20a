// Brings messages to the store in order and without gaps: older ones are read from the host page by page, while live ones wait.
import type { TrafficEntry } from '../../api/types.ts';
import type { TrafficStore } from './traffic-store.ts';

/**
 * Reads the first messages after a number.
 * @returns `last`: the number of the host's newest message; `size`: the characters of the response
 */
type ReadTraffic = (since: number, limit: number, signal: AbortSignal) => Promise<TrafficPage>;

interface TrafficPage {
  readonly entries: readonly TrafficEntry[];
  readonly last: number;
  readonly size: number;
}

type FeedStore = Pick<TrafficStore, 'receive' | 'lost' | 'lastSeq' | 'restarted' | 'settled'>;

/** Larger responses would take too long to parse at once. */
const PAGE_CHARACTERS = 400_000;
const FIRST_PAGE = 50;
const PAGE_MIN = 10;
const PAGE_MAX = 2000;
/** Live messages that wait; as many as a host keeps, so that older ones can be read from there. */
const AHEAD_MAX = 20_000;
/** Of those, passed on at once. */
const AHEAD_SLICE = 2000;

export class TrafficFeed {
  readonly #store: FeedStore;
  readonly #read: ReadTraffic;
  #ahead: TrafficEntry[] | undefined;
  #filling = new AbortController();
  #limit = FIRST_PAGE;
  /** The number of the newest message when this connection began. A lower live number means that the host was restarted. */
  #before = 0;
  #isRestarted = false;

  constructor(store: FeedStore, read: ReadTraffic) {
    this.#store = store;
    this.#read = read;
  }

  /** A connection is open: live messages follow, and older ones are read. */
  opened(): void {
    this.#filling.abort();
    this.#ahead = [];
    this.#before = this.#store.lastSeq;
    void this.#fill();
  }

  closed(): void {
    this.#filling.abort();
    this.#ahead = undefined;
  }

  live(entries: readonly TrafficEntry[]): void {
    const [first] = entries;
    if (first === undefined) return;
    const isGap = this.#ahead === undefined && first.seq > this.#store.lastSeq + 1;
    if (isGap) this.#ahead = [];
    if (this.#ahead === undefined) return this.#store.receive(entries);
    for (const entry of entries) this.#ahead.push(entry);
    if (this.#ahead.length > 2 * AHEAD_MAX) this.#ahead = this.#ahead.slice(-AHEAD_MAX);
    if (isGap) void this.#fill();
  }

  async #fill(): Promise<void> {
    const { signal } = (this.#filling = new AbortController());
    try {
      while (await this.#isMore(signal)) await this.#store.settled();
    } catch {
      // The numbers show below what is missing, and whether the host was restarted.
      if (!signal.aborted && this.#isFirstOld()) this.#restart();
    }
    if (signal.aborted) return;
    // In slices, since many may wait; new ones queue behind them.
    while (this.#ahead !== undefined && this.#ahead.length > 0) {
      const last = this.#store.lastSeq;
      this.#take(this.#ahead.splice(0, AHEAD_SLICE).filter(({ seq }) => seq > last));
      if (this.#ahead.length === 0) break;
      await this.#store.settled();
      if (signal.aborted) return;
    }
    this.#ahead = undefined;
  }

  /** Reads a page; false when the next message is already here, or there is none. */
  async #isMore(signal: AbortSignal): Promise<boolean> {
    const since = this.#store.lastSeq;
    const { entries, last, size } = await this.#read(since, this.#limit, signal);
    if (signal.aborted) return false;
    if (last < since) {
      this.#restart();
      return true;
    }
    if (entries.length === 0) return false;
    const fitting = (entries.length * PAGE_CHARACTERS) / Math.max(1, size);
    this.#limit = Math.round(Math.min(PAGE_MAX, Math.max(PAGE_MIN, fitting)));
    this.#take(entries);
    const next = this.#store.lastSeq + 1;
    const [first] = this.#ahead ?? [];
    return first === undefined ? next <= last : first.seq > next;
  }

  #isFirstOld(): boolean {
    const [first] = this.#ahead ?? [];
    return first !== undefined && first.seq <= this.#before;
  }

  /** A restarted host counts from the beginning. The live messages of this connection come from it already. */
  #restart(): void {
    this.#before = 0;
    this.#isRestarted = true;
    this.#store.restarted();
  }

  #take(entries: readonly TrafficEntry[]): void {
    const [first] = entries;
    if (first === undefined) return;
    const last = this.#store.lastSeq;
    // Messages from before the page was opened do not count as lost.
    if ((last > 0 || this.#isRestarted) && first.seq > last + 1) this.#store.lost(first.seq - last - 1);
    this.#store.receive(entries);
  }
}
