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
  /** The host counts anew: the next is a first one. */
  readonly restarted: () => void;
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
/** Of those that came while older ones are read; as many as a host keeps, so that what is cut off is read from there. */
const AHEAD_MAX = 20_000;
/** Of those, so many are handed on at once. */
const AHEAD_SLICE = 2000;

export class TrafficFeed {
  readonly #ports: TrafficFeedPorts;
  #ahead: TrafficEntry[] | undefined;
  #filling = new AbortController();
  #limit = FIRST_PAGE;
  /** The number of the newest when this connection began: its host tells later ones, unless it counts anew. */
  #before = 0;
  #isAnew = false;

  constructor(ports: TrafficFeedPorts) {
    this.#ports = ports;
  }

  /** From now on all that happens is told live; what was before is asked for. */
  opened(): void {
    this.#filling.abort();
    this.#ahead = [];
    this.#before = this.#ports.lastSeq();
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
      // What cannot be had is told below, by the numbers that are missing; so is a host that counts anew.
      if (!signal.aborted && this.#isFirstOld()) this.#beginAnew();
    }
    if (signal.aborted) return;
    // In slices, since many may wait; those that come meanwhile come behind them.
    while (this.#ahead !== undefined && this.#ahead.length > 0) {
      const last = this.#ports.lastSeq();
      this.#take(this.#ahead.splice(0, AHEAD_SLICE).filter(({ seq }) => seq > last));
      if (this.#ahead.length === 0) break;
      await this.#ports.settled();
      if (signal.aborted) return;
    }
    this.#ahead = undefined;
  }

  /** Reads a page; false when what comes next is already here, or nothing is left. */
  async #isMore(signal: AbortSignal): Promise<boolean> {
    const since = this.#ports.lastSeq();
    const { entries, last, size } = await this.#ports.page(since, this.#limit, signal);
    if (signal.aborted) return false;
    if (last < since) {
      this.#beginAnew();
      return true;
    }
    if (entries.length === 0) return false;
    const fitting = (entries.length * PAGE_CHARACTERS) / Math.max(1, size);
    this.#limit = Math.round(Math.min(PAGE_MAX, Math.max(PAGE_MIN, fitting)));
    this.#take(entries);
    const next = this.#ports.lastSeq() + 1;
    const [first] = this.#ahead ?? [];
    return first === undefined ? next <= last : first.seq > next;
  }

  /** Whether what came first on this connection has a number that another host had given before. */
  #isFirstOld(): boolean {
    const [first] = this.#ahead ?? [];
    return first !== undefined && first.seq <= this.#before;
  }

  /** A host that was started again counts anew. What came is from it already, since it came on this connection. */
  #beginAnew(): void {
    this.#before = 0;
    this.#isAnew = true;
    this.#ports.restarted();
  }

  #take(entries: readonly TrafficEntry[]): void {
    const [first] = entries;
    if (first === undefined) return;
    const last = this.#ports.lastSeq();
    // What was before anybody looked is no loss.
    if ((last > 0 || this.#isAnew) && first.seq > last + 1) this.#ports.lost(first.seq - last - 1);
    this.#ports.receive(entries);
  }
}
