// A call of a plugin: one object is what the caller holds, the request to the dialect, and the sink of the answer. Thousands of calls a
// second make nothing else.
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Linked } from '../../base/queue.ts';
import type { Trace } from '../../base/trace.ts';
import type { Asker } from '../../definition/caller.ts';
import type {
  Answer,
  CallEvent,
  CallFailure,
  CallRequest,
  CallSink,
  CallerContext,
  Outcome,
} from '../../definition/outcome.ts';
import type { WirePort } from '../../dialect/host-dialect.ts';
import type { JsonSchema } from '../../definition/tool.ts';
import type { RunningCall } from '../../definition/plugin-port.ts';
import {
  CallEvents,
  EVENTS_MAX,
  eventsOf,
  failedAnswer,
  type Call,
  type CallOptions,
} from '../../definition/call.ts';
import type { Conversation, Instance } from './instance.ts';

export type LiveInstance = Instance<OpenCall>;

/** What a call needs of the dispatcher. */
export interface CallOwner {
  readonly clock: Clock;
  /** What the ids of calls begin with. */
  readonly idPrefix: string;
  readonly callMs: number;
  /** It has ended on the wire. */
  ended(call: OpenCall, answer: Answer): void;
  cancelled(call: OpenCall, reason: string): void;
  /** Gives an event as the caller gets it. */
  redacted(call: OpenCall, event: CallEvent): CallEvent;
  /** It has another deadline. */
  watch(call: OpenCall): void;
  /** Its events are more than is kept. */
  tooManyEvents(call: OpenCall, limit: number): void;
}

/** Puts a call on the wire. */
export type Send = (port: WirePort, call: OpenCall) => RunningCall;

export const sendTool: Send = (port, call) => port.call(call, call);

/**
 * `waiting` to be sent; `sent`; `abandoned`: settled, but the plugin still works on it; `off`: it is over on the wire.
 */
type CallPhase = 'waiting' | 'sent' | 'abandoned' | 'off';

export class OpenCall implements Call, CallSink, CallRequest, Linked<OpenCall> {
  readonly tool: string;
  /** Defaults are filled in before it is sent. */
  args: JsonObject;
  timeoutMs: number;
  readonly send: Send;
  /** A conversation that has an instance for itself. */
  readonly talk: Conversation | undefined;
  phase: CallPhase = 'waiting';
  /** In the clock's milliseconds: when it is given up, or, when it is abandoned, when the process is. */
  deadline: number;
  /** When it was made, then when it was sent. */
  startedAt: number;
  instance: LiveInstance | undefined = undefined;
  wire: RunningCall | undefined = undefined;
  previous: OpenCall | undefined = undefined;
  next: OpenCall | undefined = undefined;
  readonly #owner: CallOwner;
  readonly #number: number;
  readonly #options: CallOptions | undefined;
  #outcome: Outcome | undefined = undefined;
  #promise: Promise<Outcome> | undefined = undefined;
  #resolve: ((outcome: Outcome) => void) | undefined = undefined;
  /** Made for the first event or reader: most calls have neither. */
  #events: CallEvents | undefined = undefined;
  #whenSettled: (() => void) | undefined = undefined;

  constructor(
    owner: CallOwner,
    number: number,
    send: Send,
    tool: string,
    args: JsonObject,
    options: CallOptions | undefined,
    talk?: Conversation,
  ) {
    this.#owner = owner;
    this.#number = number;
    this.#options = options;
    this.send = send;
    this.tool = tool;
    this.args = args;
    this.talk = talk;
    this.timeoutMs = ownLimit(options) ?? owner.callMs;
    this.startedAt = owner.clock.now();
    this.deadline = this.startedAt + this.timeoutMs;
  }

  get context(): CallerContext | undefined {
    return this.#options?.context;
  }

  get trace(): Trace | undefined {
    return this.#options?.trace;
  }

  get asker(): Asker | undefined {
    const asker = this.#options?.asker;
    return asker && pausingLimit(asker, this, this.#owner);
  }

  get validatedAgainst(): JsonSchema | undefined {
    return this.#options?.validatedAgainst;
  }

  /** Calls with different keys take turns. */
  get queueKey(): string {
    return this.#options?.caller ?? '';
  }

  /** The caller set a time limit. */
  get hasOwnLimit(): boolean {
    return ownLimit(this.#options) !== undefined;
  }

  /** To be called when it is settled. */
  whenSettled(callback: () => void): void {
    this.#whenSettled = callback;
  }

  get id(): string {
    return this.#options?.id ?? `${this.#owner.idPrefix}-${this.#number}`;
  }

  get isSettled(): boolean {
    return this.#outcome !== undefined;
  }

  get outcome(): Promise<Outcome> {
    this.#promise ??= new Promise((resolve) => {
      if (this.#outcome === undefined) this.#resolve = resolve;
      else resolve(this.#outcome);
    });
    return this.#promise;
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
    this.#events ??= new CallEvents();
    return this.#events.onEvent(listener);
  }

  cancel(reason = 'The caller gave the call up.'): void {
    if (this.#outcome === undefined) this.#owner.cancelled(this, reason);
  }

  event(given: CallEvent): void {
    if (this.instance !== undefined) this.instance.isAlive = true;
    const event = given.kind === 'text' ? given : this.#owner.redacted(this, given);
    if (this.#outcome !== undefined) return;
    this.#events ??= new CallEvents();
    if (!this.#events.add(event)) this.#owner.tooManyEvents(this, EVENTS_MAX);
  }

  end(answer: Answer): void {
    this.#owner.ended(this, answer);
  }

  settle(answer: Answer): void {
    if (this.#outcome !== undefined) return;
    // The answer is ours by contract, and a copy of every answer would cost as much as the rest of a call.
    const outcome = answer as Answer & { durationMs: number };
    outcome.durationMs = this.#owner.clock.now() - this.startedAt;
    this.#outcome = outcome;
    this.#resolve?.(outcome);
    this.#whenSettled?.();
  }

  /** Settles it from this side; text that was streamed before is kept. */
  fail(error: CallFailure): void {
    this.settle(failedAnswer(this.#events, error));
  }
}

/** NaN compares with nothing, so that a call with such a limit would have none. */
function ownLimit(options: CallOptions | undefined): number | undefined {
  const limitMs = options?.timeoutMs;
  return limitMs === undefined || Number.isNaN(limitMs) ? undefined : limitMs;
}

interface Limited {
  /** In the clock's milliseconds. */
  deadline: number;
}

/** Pauses the time limit of the call while a question is open. */
export function pausingLimit<Call extends Limited>(
  asker: Asker,
  call: Call,
  owner: { readonly clock: Clock; watch(call: Call): void },
): Asker {
  const { clock } = owner;
  return {
    async ask(question, signal) {
      const { deadline } = call;
      const leftMs = deadline - clock.now();
      call.deadline = Infinity;
      try {
        return await asker.ask(question, signal);
      } finally {
        // Another question may have been asked meanwhile: then the later one gives the time back.
        if (call.deadline === Infinity && deadline !== Infinity) {
          call.deadline = clock.now() + leftMs;
          owner.watch(call);
        }
      }
    },
  };
}
