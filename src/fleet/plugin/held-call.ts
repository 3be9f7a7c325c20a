// A call that is answered from this process: by a definition that runs here, or by whoever passes another call on.
import type { Clock } from '../../base/clock.ts';
import type { Answer, CallEvent, CallFailure, CallSink, Outcome } from '../../definition/outcome.ts';
import type { TellingCall } from './follow-call.ts';
import { costOf, SAID_MAX } from './said.ts';

export interface HeldCallParts {
  readonly id: string;
  readonly tool: string;
  readonly clock: Clock;
  /** Whoever works on it hears that it was given up; it is over for its caller by then. */
  onCancel(reason: string): void;
}

/** Holds all events, since nobody says how often and from when on they are read; up to a bound, like any call. */
export class HeldCall implements TellingCall, CallSink {
  readonly id: string;
  readonly tool: string;
  readonly outcome: Promise<Outcome>;
  readonly #parts: HeldCallParts;
  readonly #startedAt: number;
  readonly #events: CallEvent[] = [];
  #said = 0;
  #wakers: (() => void)[] = [];
  #listeners: ((event: CallEvent) => void)[] = [];
  #isOver = false;
  #resolve!: (outcome: Outcome) => void;

  constructor(parts: HeldCallParts) {
    this.id = parts.id;
    this.tool = parts.tool;
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isSettled(): boolean {
    return this.#isOver;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a call is awaited for its outcome
  then<Fulfilled = Outcome, Rejected = never>(
    onFulfilled?: ((outcome: Outcome) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.outcome.then(onFulfilled, onRejected);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<CallEvent> {
    for (let at = 0; ;) {
      const event = this.#events[at];
      if (event !== undefined) {
        at += 1;
        yield event;
      } else if (this.#isOver) return;
      else await new Promise<void>((resolve) => this.#wakers.push(resolve));
    }
  }

  tellTo(listener: (event: CallEvent) => void): void {
    for (const event of this.#events) listener(event);
    if (!this.#isOver) this.#listeners.push(listener);
  }

  cancel(reason = 'The caller gave the call up.'): void {
    this.giveUp({ code: 'CALL_CANCELLED', message: reason });
  }

  /** Ends it from this side, and tells whoever works on it. */
  giveUp(error: CallFailure): void {
    if (this.#isOver) return;
    this.fail(error);
    this.#parts.onCancel(error.message);
  }

  event(event: CallEvent): void {
    if (this.#isOver) return;
    this.#events.push(event);
    this.#said += costOf(event);
    this.#wake();
    for (const listener of this.#listeners) listener(event);
    if (this.#said > SAID_MAX)
      this.giveUp({
        code: 'FRAME_TOO_LARGE',
        message: `More than ${SAID_MAX} characters were said in one call of "${this.tool}"; it was given up.`,
      });
  }

  end(answer: Answer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resolve({ ...answer, durationMs: this.#parts.clock.now() - this.#startedAt });
    this.#wake();
    this.#listeners = [];
  }

  /** Ends it as failed; what was said so far is kept. */
  fail(error: CallFailure): void {
    const said = this.#events.flatMap((event) => (event.kind === 'text' ? [event.text] : []));
    this.end(said.length === 0 ? { ok: false, error } : { ok: false, text: said.join(''), error });
  }

  #wake(): void {
    const wakers = this.#wakers;
    this.#wakers = [];
    for (const wake of wakers) wake();
  }
}
