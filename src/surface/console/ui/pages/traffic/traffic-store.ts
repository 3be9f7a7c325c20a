// Takes received messages into the log and the view: one slice a frame, and none while paused.
import { signal } from '@preact/signals';
import type { TrafficEntry } from '../../api/types.ts';
import { TrafficLog, type LoggedMessage } from './traffic-log.ts';
import { noFilter, TrafficView, type TrafficFilter } from './traffic-view.ts';

/** The rest of a frame is for drawing. */
const SLICE_MS = 5;
/** Of more, only the count is kept while paused; otherwise they go into the log at once. */
const WAITING_MAX = 20_000;

export class TrafficStore {
  readonly #nextFrame: (step: () => void) => unknown;
  readonly #log = new TrafficLog();
  readonly #view = new TrafficView(this.#log);
  #waiting: TrafficEntry[] = [];
  #nextWaiting = 0;
  #isScheduled = false;
  #onSettled: (() => void)[] = [];
  /** Changes when there is something to draw. */
  readonly version = signal(0);
  readonly isPaused = signal(false);
  /** How many messages arrived while paused. */
  readonly held = signal(0);
  /** How many messages the host or this page had to leave out. */
  readonly dropped = signal(0);
  readonly filter = signal<TrafficFilter>(noFilter);
  #lastSeq = 0;

  constructor(nextFrame: (step: () => void) => unknown) {
    this.#nextFrame = nextFrame;
  }

  get view(): TrafficView {
    return this.#view;
  }

  get size(): number {
    return this.#log.size;
  }

  /** Of the newest message received, shown or not. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  at(position: number | undefined): LoggedMessage | undefined {
    return position === undefined ? undefined : this.#log.at(position);
  }

  receive(entries: readonly TrafficEntry[]): void {
    for (const entry of entries) this.#waiting.push(entry);
    const last = entries.at(-1);
    if (last !== undefined) this.#lastSeq = last.seq;
    const tooMany = this.#waiting.length - this.#nextWaiting - WAITING_MAX;
    if (tooMany > 0) this.#relieve(tooMany);
    if (this.isPaused.value) this.held.value = this.#waiting.length - this.#nextWaiting;
    else this.#schedule();
  }

  /** The host was restarted and counts from the beginning. */
  restarted(): void {
    this.#lastSeq = 0;
  }

  /** Messages that can no longer be read. */
  lost(count: number): void {
    this.dropped.value += count;
  }

  /** Resolves when all received messages are in the log, or paused. */
  settled(): Promise<void> {
    if (this.isPaused.value || this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onSettled.push(resolve));
  }

  pause(isPaused: boolean): void {
    this.isPaused.value = isPaused;
    if (!isPaused) this.held.value = 0;
    this.#schedule();
  }

  setFilter(change: Partial<TrafficFilter>): void {
    this.filter.value = { ...this.filter.value, ...change };
    this.#view.filter(this.filter.value);
    this.#schedule();
  }

  clear(): void {
    this.#log.clear();
    this.#waiting = [];
    this.#nextWaiting = 0;
    this.held.value = 0;
    this.dropped.value = 0;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#nextFrame(() => {
      this.#isScheduled = false;
      this.#step();
    });
  }

  #step(): void {
    const until = performance.now() + SLICE_MS;
    if (!this.isPaused.value) this.#take(until);
    const isComplete = this.#view.advance(Math.max(1, until - performance.now()));
    this.version.value += 1;
    if (this.isPaused.value || this.#waiting.length === 0)
      for (const resolve of this.#onSettled.splice(0)) resolve();
    if (!isComplete || (!this.isPaused.value && this.#waiting.length > 0)) this.#schedule();
  }

  /** A hidden tab draws no frames, and a frame has no time for all messages of a busy host. */
  #relieve(count: number): void {
    const from = this.#nextWaiting;
    const first = this.#waiting.slice(from, from + count);
    this.#waiting = this.#waiting.slice(from + count);
    this.#nextWaiting = 0;
    if (this.isPaused.value) this.dropped.value += count;
    else for (const entry of first) this.#log.add(entry);
  }

  #take(until: number): void {
    while (this.#nextWaiting < this.#waiting.length) {
      const entry = this.#waiting[this.#nextWaiting];
      this.#nextWaiting += 1;
      if (entry !== undefined) this.#log.add(entry);
      if (this.#nextWaiting % 100 === 0 && performance.now() >= until) return;
    }
    this.#waiting = [];
    this.#nextWaiting = 0;
  }
}
