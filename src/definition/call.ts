// One use of a tool, as its caller holds it.
import { Fifo } from '../base/queue.ts';
import { toError } from '../base/error.ts';
import { jsonSize } from '../base/json.ts';
import type { Clock } from '../base/clock.ts';
import type { Trace } from '../base/trace.ts';
import type { Asker, Caller, Execution } from './caller.ts';
import type { Answer, CallEvent, CallerContext, CallFailure, CallSink, Outcome } from './outcome.ts';
import type { RunningCall } from './plugin-port.ts';
import type { JsonSchema } from './tool.ts';

/**
 * Await it for the outcome, or iterate it for the events before that. It never rejects: every failure, also of the plugin or of the
 * connection to it, is an outcome that is not ok.
 */
export interface Call extends PromiseLike<Outcome>, AsyncIterable<CallEvent> {
  /** Names the call in logs, in the audit and in traces. */
  readonly id: string;
  readonly tool: string;
  readonly outcome: Promise<Outcome>;
  /** Calls the listener with every event: those so far at once, later ones as they come. The returned function ends it. */
  onEvent(listener: (event: CallEvent) => void): () => void;
  /** Ends it at once with CALL_CANCELLED; text that was streamed before is kept. */
  cancel(reason?: string): void;
}

export interface CallOptions {
  /** An id that it has already, such as that of the gate. @default a new one */
  readonly id?: string;
  /**
   * Counts from sending; and for so long it may wait to be sent.
   * @default limits.callMs of the plugin
   */
  readonly timeoutMs?: number;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Calls of different callers take turns. */
  readonly caller?: string;
  /** The caller, for handlers in this process. No plugin with a process of its own gets it. */
  readonly onBehalfOf?: Caller;
  /** How a command line in the arguments may run, for handlers in this process. */
  readonly execution?: Execution | undefined;
  /** The input schema that the arguments were validated against: they are not validated against the same one again. */
  readonly validatedAgainst?: JsonSchema | undefined;
  readonly context?: CallerContext;
  /** What the call is a part of. Sent to plugins whose dialect has a field for it, and kept in logs. */
  readonly trace?: Trace;
  /** Answers questions of the plugin during the call. While one is open, the time limit does not run. @default none is answered */
  readonly asker?: Asker;
}

/** In characters: all events of a call are kept for its readers. */
export const EVENTS_MAX = 64 * 1024 * 1024;

/** What an event costs beside its texts. */
const EVENT_COST = 64;

/** The events of one call, for any number of readers. */
export class CallEvents {
  readonly #events: CallEvent[] = [];
  readonly #listeners = new Set<(event: CallEvent) => void>();
  #size = 0;

  /** @returns false when there are more than EVENTS_MAX */
  add(event: CallEvent): boolean {
    this.#events.push(event);
    this.#size += costOf(event);
    for (const listener of this.#listeners) listener(event);
    return this.#size <= EVENTS_MAX;
  }

  onEvent(listener: (event: CallEvent) => void): () => void {
    for (const event of this.#events) listener(event);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function costOf(event: CallEvent): number {
  if (event.kind === 'text') return EVENT_COST + event.text.length;
  const data = event.kind === 'log' && event.data !== undefined ? jsonSize(event.data) : 0;
  return EVENT_COST + (event.message?.length ?? 0) + data;
}

/** The answer of a call that fails on this side: with the text that was streamed before. */
export function failedAnswer(events: Pick<Call, 'onEvent'> | undefined, error: CallFailure): Answer {
  let text: string | undefined;
  events?.onEvent((event) => {
    if (event.kind === 'text') text = (text ?? '') + event.text;
  })();
  return text === undefined ? { ok: false, error } : { ok: false, text, error };
}

/** For the iterator of a call. */
export async function* eventsOf({ onEvent, outcome }: EventSource): AsyncGenerator<CallEvent, void> {
  const queue = new Fifo<CallEvent>();
  let isOver = false;
  let wake = () => {};
  const unfollow = onEvent((event) => {
    queue.push(event);
    wake();
  });
  void outcome.then(() => {
    isOver = true;
    wake();
  });
  try {
    for (;;) {
      const event = queue.shift();
      if (event !== undefined) yield event;
      else if (isOver) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    unfollow();
  }
}

interface EventSource {
  readonly onEvent: (listener: (event: CallEvent) => void) => () => void;
  readonly outcome: Promise<Outcome>;
}

export interface PendingCallParts {
  /** Empty: that of the call it begins. */
  readonly id: string;
  readonly tool: string;
  readonly clock: Clock;
  /** The caller gave it up; its outcome is there by then. */
  onCancel(reason: string): void;
}

/** A call that is answered by code of this process: with events and an answer, or by another call whose events it passes on. */
export class PendingCall implements Call, CallSink {
  readonly tool: string;
  readonly outcome: Promise<Outcome>;
  readonly #parts: PendingCallParts;
  readonly #startedAt: number;
  #id: string;
  /** Where its events are kept: here, or in the call that it passes on. */
  #source: Pick<Call, 'onEvent'> | undefined;
  #buffer: CallEvents | undefined;
  /** Those who listen before there is a source, each with what ends its listening. */
  readonly #early = new Map<(event: CallEvent) => void, () => void>();
  #isOver = false;
  #resolve!: (outcome: Outcome) => void;

  constructor(parts: PendingCallParts) {
    this.#id = parts.id;
    this.tool = parts.tool;
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get id(): string {
    return this.#id;
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

  [Symbol.asyncIterator](): AsyncIterator<CallEvent> {
    return eventsOf({ onEvent: (listener) => this.onEvent(listener), outcome: this.outcome });
  }

  onEvent(listener: (event: CallEvent) => void): () => void {
    if (this.#source !== undefined) return this.#listen(this.#source, listener);
    this.#early.set(listener, () => {});
    return () => {
      this.#early.get(listener)?.();
      this.#early.delete(listener);
    };
  }

  cancel(reason = 'The caller gave the call up.'): void {
    this.giveUp({ code: 'CALL_CANCELLED', message: reason });
  }

  /** Ends it from this side. */
  giveUp(error: CallFailure): void {
    if (this.#isOver) return;
    this.fail(error);
    this.#parts.onCancel(error.message);
  }

  named(id: string): void {
    this.#id = id;
  }

  /** From now on the events of the other call are the events of this one. Its outcome is not passed on. */
  passOn(call: Call): void {
    if (this.#id === '') this.#id = call.id;
    this.#listenTo(call);
  }

  event(event: CallEvent): void {
    if (this.#isOver) return;
    if (this.#buffer === undefined) {
      this.#buffer = new CallEvents();
      this.#listenTo(this.#buffer);
    }
    if (!this.#buffer.add(event))
      this.giveUp({
        code: 'FRAME_TOO_LARGE',
        message: `The events of one call of "${this.tool}" had more than ${EVENTS_MAX} characters; it was given up.`,
      });
  }

  /** A duration that is known already is kept. */
  end(answer: Answer | Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resolve({ durationMs: this.#parts.clock.now() - this.#startedAt, ...answer });
  }

  fail(error: CallFailure): void {
    this.end(failedAnswer(this.#source, error));
  }

  #listenTo(source: Pick<Call, 'onEvent'>): void {
    this.#source = source;
    for (const listener of this.#early.keys()) this.#early.set(listener, this.#listen(source, listener));
  }

  /** What comes after the end is not passed on. */
  #listen(source: Pick<Call, 'onEvent'>, listener: (event: CallEvent) => void): () => void {
    let isPast = true;
    const unfollow = source.onEvent((event) => {
      if (isPast || !this.#isOver) listener(event);
    });
    isPast = false;
    return unfollow;
  }
}

/** The outcome, after all events before it. Rejects with what the listener throws. */
export async function followCall(call: Call, listener: (event: CallEvent) => void): Promise<Outcome> {
  let failure: Error | undefined;
  call.onEvent((event) => {
    try {
      if (failure === undefined) listener(event);
    } catch (thrown) {
      failure = toError(thrown);
    }
  });
  const outcome = await call.outcome;
  if (failure !== undefined) throw failure;
  return outcome;
}

/** Passes a call on to a sink, no faster than that takes it: its events in order, then its end. */
export function pipeCall(
  call: Call,
  sink: CallSink,
  change: (answer: Answer) => Answer = (answer) => answer,
): RunningCall {
  const pipe = async () => {
    for await (const event of call) {
      sink.event(event);
      await sink.drained?.().catch(() => {});
    }
    const { durationMs: _, ...answer } = await call.outcome;
    sink.end(change(answer));
  };
  void pipe();
  return {
    cancel(reason) {
      call.cancel(reason);
      return 'free';
    },
  };
}
