// The events of a call on their way to the client: in order, and no faster than the client reads.
// No text is lost as long as the client reads. The total size of a call's events is bounded (EVENTS_MAX).
import type { Clock } from '../../base/clock.ts';
import { type Json, jsonSize } from '../../base/json.ts';
import { KiB } from '../../base/units.ts';
import { late, within } from '../../base/async.ts';
import { CallProgress } from '../../dialect/mcp/server-tools.ts';
import type { Notification } from '../../dialect/sender.ts';
import type { CallEvent } from '../../definition/outcome.ts';
import type { LogLevel } from '../../definition/tool.ts';

/** The request of a client that is being answered. */
export interface Round {
  /** Undefined: the client did not ask for progress. */
  readonly progressToken: string | number | undefined;
  /** Resolves when more may be sent; undefined: at once. */
  notify(notice: Notification): Promise<void> | undefined;
  log(level: WireLevel, data: unknown, logger: string): Promise<void> | undefined;
}

export type WireLevel = 'debug' | 'info' | 'warning' | 'error';

const levels: Readonly<Record<LogLevel, WireLevel>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
};

type Streamed = Exclude<CallEvent, { kind: 'log' }>;
type Progress = Extract<CallEvent, { kind: 'progress' }>;

/** In characters, of one notification. */
const PIECE_MAX = 64 * KiB;
/** In characters, of what was sent and not read. Escaped, that is still less than a pipe takes. */
const UNREAD_MAX = 512 * KiB;
/** What a notification counts in addition to its text. */
const NOTICE_COST = 256;
/** For a client on a pipe that reads nothing. Longer than HTTP waits (`slowMs`), which ends the connection. */
const STALL_MS = 60_000;

export class EventBuffer {
  readonly #plugin: string;
  readonly #clock: Clock;
  readonly #pace: Pace;
  #round: Round | undefined;
  #progress: CallProgress | undefined;
  readonly #waiting = new WaitingEvents();
  #lostLogs = 0;
  #unread = 0;
  #whenRead: (() => void) | undefined;
  #wasSent = false;
  #isEnding = false;

  constructor(plugin: string, clock: Clock) {
    this.#plugin = plugin;
    this.#clock = clock;
    this.#pace = new Pace(clock);
  }

  /** Sends to this one from now on; undefined: events wait. */
  to(round: Round | undefined): void {
    this.#round = round;
    this.#isEnding = false;
    if (round === undefined) return;
    const token = round.progressToken;
    this.#progress =
      token === undefined
        ? undefined
        : new CallProgress(token, { send: (notice) => this.#sent(costOf(notice), round.notify(notice)) });
    this.#flush();
  }

  event(event: CallEvent): void {
    if (event.kind === 'log') return this.#log(event);
    this.#waiting.add(event);
    this.#flush();
  }

  /** Resolves when the client has read all events, or has read nothing for a minute: then the rest is dropped. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#pace.stop();
    if (this.#round !== undefined) {
      while (this.#waiting.hasAny) {
        if (this.#unread >= UNREAD_MAX && !(await this.#hasRead())) return this.#waiting.clear();
        this.#sendNext();
      }
      this.#reportLostLogs();
    }
    while (this.#unread > 0) if (!(await this.#hasRead())) return;
    if (!this.#wasSent) return;
    this.#wasSent = false;
    // Clients handle notifications later than a result that comes in the same chunk, and ignore them then.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #flush(): void {
    if (this.#round === undefined || this.#isEnding) return;
    while (this.#waiting.hasAny) {
      if (this.#unread >= UNREAD_MAX) return;
      if (this.#progress !== undefined && !this.#pace.take()) return this.#pace.whenFree(() => this.#flush());
      this.#sendNext();
    }
  }

  #sendNext(): void {
    const next = this.#waiting.next();
    if (next !== undefined) this.#progress?.event(next);
  }

  #log({ level, message, data }: Extract<CallEvent, { kind: 'log' }>): void {
    if (this.#round === undefined || this.#unread >= UNREAD_MAX || !this.#pace.take()) this.#lostLogs += 1;
    else this.#sendLog(levels[level], data === undefined ? message : { message, data });
  }

  #reportLostLogs(): void {
    if (this.#lostLogs > 0) this.#sendLog('warning', `${this.#lostLogs} log entries were left out.`);
    this.#lostLogs = 0;
  }

  #sendLog(level: WireLevel, data: Json): void {
    this.#sent(NOTICE_COST + jsonSize(data), this.#round?.log(level, data, this.#plugin));
  }

  #sent(cost: number, reading: Promise<void> | undefined): void {
    this.#wasSent = true;
    if (reading === undefined) return;
    this.#unread += cost;
    const read = () => {
      this.#unread -= cost;
      this.#whenRead?.();
      this.#flush();
    };
    // A client that has gone reads nothing more.
    reading.then(read, read);
  }

  async #hasRead(): Promise<boolean> {
    const read = new Promise<void>((resolve) => {
      this.#whenRead = resolve;
    });
    return (await within(read, STALL_MS, this.#clock)) !== late;
  }
}

/** Texts are joined to pieces of a good size. Of progress only the newest waits: it contains the others. */
class WaitingEvents {
  #before: string[] = [];
  #progress: Progress | undefined;
  #after: string[] = [];

  get hasAny(): boolean {
    return this.#before.length > 0 || this.#progress !== undefined;
  }

  clear(): void {
    this.#before = [];
    this.#progress = undefined;
    this.#after = [];
  }

  add(event: Streamed): void {
    if (event.kind === 'text') addTo(this.#progress === undefined ? this.#before : this.#after, event.text);
    else {
      const { total } = this.#progress ?? {};
      for (const text of this.#after.splice(0)) addTo(this.#before, text);
      this.#progress = total === undefined ? event : { total, ...event };
    }
  }

  next(): Streamed | undefined {
    const text = this.#before.shift();
    if (text !== undefined) return { kind: 'text', text };
    const progress = this.#progress;
    this.#progress = undefined;
    this.#before = this.#after;
    this.#after = [];
    return progress;
  }
}

function addTo(pieces: string[], text: string): void {
  const last = pieces.at(-1) ?? '';
  if (pieces.length > 0 && last.length + text.length <= PIECE_MAX) {
    pieces[pieces.length - 1] = last + text;
    return;
  }
  let start = 0;
  while (text.length - start > PIECE_MAX) {
    // Both halves of a character stay in one piece.
    const end = start + ((text.codePointAt(start + PIECE_MAX - 1) ?? 0) > 0xffff ? PIECE_MAX - 1 : PIECE_MAX);
    pieces.push(text.slice(start, end));
    start = end;
  }
  pieces.push(text.slice(start));
}

function costOf({ params }: Notification): number {
  const { message = '' } = params as { message?: string };
  return NOTICE_COST + message.length;
}

/** A burst at once, then so many a second: a plugin that says more is passed on in fewer, longer pieces. */
class Pace {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #everyMs: number;
  #free: number;
  #countedAt: number;
  #callOff: (() => void) | undefined;

  constructor(clock: Clock, burst = 100, everyMs = 25) {
    this.#clock = clock;
    this.#burst = burst;
    this.#everyMs = everyMs;
    this.#free = burst;
    this.#countedAt = clock.now();
  }

  /** Whether something may be sent now; else it is kept until `whenFree` calls. */
  take(): boolean {
    const now = this.#clock.now();
    this.#free = Math.min(this.#burst, this.#free + (now - this.#countedAt) / this.#everyMs);
    this.#countedAt = now;
    if (this.#free < 1) return false;
    this.#free -= 1;
    return true;
  }

  /** Only the first callback counts until it is called. */
  whenFree(callback: () => void): void {
    this.#callOff ??= this.#clock.after(this.#everyMs, () => {
      this.#callOff = undefined;
      callback();
    });
  }

  stop(): void {
    this.#callOff?.();
    this.#callOff = undefined;
  }
}
