// What a call says before its end, on its way to the client: in order, and never faster than somebody can read.
import type { Clock } from '../../base/clock.ts';
import { CallProgress } from '../../dialect/mcp/call-progress.ts';
import type { Notice } from '../../dialect/notices.ts';
import type { CallEvent } from '../../definition/outcome.ts';
import type { LogLevel } from '../../definition/tool.ts';
import { Pace } from './pace.ts';

/** The request of a client that is being answered. */
export interface Round {
  /** Undefined: the client does not want to hear of progress. */
  readonly progressToken: string | number | undefined;
  notify(notice: Notice): Promise<void>;
  log(level: WireLevel, data: unknown, logger: string): Promise<void>;
}

export type WireLevel = 'debug' | 'info' | 'warning' | 'error';

const levels: Readonly<Record<LogLevel, WireLevel>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
};

type Said = Exclude<CallEvent, { kind: 'log' }>;

/** What waits while nobody may be told; the end of it counts most. */
const WAITING_MAX = 64 * 1024;

export class ToldEvents {
  readonly #plugin: string;
  readonly #pace: Pace;
  #round: Round | undefined;
  #progress: CallProgress | undefined;
  #waiting: Said[] = [];
  #lostLogs = 0;
  /** Undefined: nothing was sent since the last round. */
  #last: Promise<unknown> | undefined;

  constructor(plugin: string, clock: Clock) {
    this.#plugin = plugin;
    this.#pace = new Pace(clock);
  }

  /** Tells it to this one from now on; undefined: what is said waits. */
  to(round: Round | undefined): void {
    this.#round = round;
    const token = round?.progressToken;
    if (token !== undefined)
      this.#progress = new CallProgress(token, { send: (notice) => this.#send(round?.notify(notice)) });
    else if (round !== undefined) this.#progress = undefined;
    if (round !== undefined) this.#flush();
  }

  event(event: CallEvent): void {
    if (event.kind === 'log') return this.#log(event);
    this.#waiting = joined(this.#waiting, event);
    this.#flush();
  }

  /** Resolves when all was sent that was said. */
  async end(): Promise<void> {
    this.#pace.stop();
    if (this.#round !== undefined) this.#tellAll();
    if (this.#last === undefined) return;
    await this.#last;
    this.#last = undefined;
    // Clients look at notifications later than at a result that comes in the same breath, and then nobody listens any more.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #flush(): void {
    if (this.#round === undefined) return;
    while (this.#waiting.length > 0) {
      if (!this.#pace.take()) return this.#pace.whenFree(() => this.#flush());
      const [next] = this.#waiting;
      this.#waiting = this.#waiting.slice(1);
      if (next !== undefined) this.#progress?.event(next);
    }
  }

  #tellAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const event of waiting) this.#progress?.event(event);
    if (this.#lostLogs > 0) this.#tell('warning', `${this.#lostLogs} log entries were left out.`);
  }

  #log({ level, message, data }: Extract<CallEvent, { kind: 'log' }>): void {
    if (this.#round === undefined || !this.#pace.take()) this.#lostLogs += 1;
    else this.#tell(levels[level], data === undefined ? message : { message, data });
  }

  #tell(level: WireLevel, data: unknown): void {
    this.#send(this.#round?.log(level, data, this.#plugin));
  }

  /** Sent in order; who has gone away does not hear it. */
  #send(sending: Promise<void> | undefined): void {
    if (sending !== undefined) this.#last = Promise.allSettled([this.#last, sending]);
  }
}

/** Texts become one; of progress, where too much waits, the last. */
function joined(waiting: readonly Said[], event: Said): Said[] {
  const last = waiting.at(-1);
  if (last?.kind === 'text' && event.kind === 'text') {
    const text = (last.text + event.text).slice(-WAITING_MAX);
    return [...waiting.slice(0, -1), { kind: 'text', text }];
  }
  const isFull = waiting.length >= WAITING_EVENTS_MAX;
  return [...(isFull ? waiting.slice(0, -1) : waiting), event];
}

const WAITING_EVENTS_MAX = 64;
