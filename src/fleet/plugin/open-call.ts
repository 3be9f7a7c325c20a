// A call from the moment it is made. It is at once what its caller holds, what the dialect is asked, and who hears the answer: on the
// way of thousands of calls a second nothing else is made for one.
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Trace } from '../../base/trace.ts';
import type { Linked } from '../../base/linked-list.ts';
import type { Asker } from '../../definition/asker.ts';
import type {
  Answer,
  CallEvent,
  CallFailure,
  CallRequest,
  CallSink,
  CallerContext,
  Outcome,
} from '../../definition/outcome.ts';
import type { HostEnd, WireCall } from '../../dialect/host-dialect.ts';
import type { CallOptions } from './call.ts';
import type { TellingCall } from './follow-call.ts';
import type { Instance } from './instance.ts';
import { costOf, SAID_MAX } from './said.ts';
import type { Conversation } from './talk.ts';
import { unhurried } from './unhurried.ts';

export type LiveInstance = Instance<OpenCall>;

/** What a call needs of the dispatcher. */
export interface CallOwner {
  readonly clock: Clock;
  /** What the ids of calls begin with. */
  readonly idPrefix: string;
  readonly callMs: number;
  /** The wire said that it is over. */
  ended(call: OpenCall, answer: Answer): void;
  cancelled(call: OpenCall, reason: string): void;
  /** The plugin said something of it before its end. Gives it as its caller is told. */
  told(call: OpenCall, event: CallEvent): CallEvent;
  /** It has another deadline. */
  watch(call: OpenCall): void;
  /** It has said more than anybody can want to keep. */
  saidTooMuch(call: OpenCall, limit: number): void;
}

/** Puts a call on the wire. */
export type Send = (end: HostEnd, call: OpenCall) => WireCall;

export const sendTool: Send = (end, call) => end.call(call, call);

/**
 * `waiting` to be sent; `sent`; `abandoned`: settled, but the plugin still works on it; `off`: it is over on the wire.
 */
export type CallPhase = 'waiting' | 'sent' | 'abandoned' | 'off';

/** What few calls need. */
interface Extras {
  readonly events: CallEvent[];
  /** In characters. */
  said: number;
  /** Of those who iterate the events. */
  wakers: (() => void)[];
  /** To be called when it is settled. */
  callOff: (() => void) | undefined;
}

export class OpenCall implements TellingCall, CallSink, CallRequest, Linked<OpenCall> {
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
  wire: WireCall | undefined = undefined;
  previous: OpenCall | undefined = undefined;
  next: OpenCall | undefined = undefined;
  readonly #owner: CallOwner;
  readonly #number: number;
  readonly #options: CallOptions | undefined;
  #outcome: Outcome | undefined = undefined;
  #promise: Promise<Outcome> | undefined = undefined;
  #resolve: ((outcome: Outcome) => void) | undefined = undefined;
  #extras: Extras | undefined = undefined;
  #listener: ((event: CallEvent) => void) | undefined = undefined;

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
    return asker && unhurried(asker, this, this.#owner);
  }

  get caller(): string {
    return this.#options?.caller ?? '';
  }

  /** The caller said how long it may take. */
  get hasOwnLimit(): boolean {
    return ownLimit(this.#options) !== undefined;
  }

  /** To be called when it is settled. */
  whenSettled(callback: () => void): void {
    this.#extra().callOff = callback;
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

  async *[Symbol.asyncIterator](): AsyncIterator<CallEvent> {
    const extras = this.#extra();
    for (let at = 0; ;) {
      const event = extras.events[at];
      if (event !== undefined) {
        at += 1;
        yield event;
      } else if (this.#outcome !== undefined) return;
      else await new Promise<void>((resolve) => extras.wakers.push(resolve));
    }
  }

  tellTo(listener: (event: CallEvent) => void): void {
    for (const event of this.#extras?.events ?? []) listener(event);
    const before = this.#listener;
    this.#listener =
      before === undefined
        ? listener
        : (event) => {
            before(event);
            listener(event);
          };
  }

  cancel(reason = 'The caller gave the call up.'): void {
    if (this.#outcome === undefined) this.#owner.cancelled(this, reason);
  }

  event(said: CallEvent): void {
    if (this.instance !== undefined) this.instance.heard = true;
    const event = said.kind === 'text' ? said : this.#owner.told(this, said);
    if (this.#outcome !== undefined) return;
    const extras = this.#extra();
    extras.events.push(event);
    extras.said += costOf(event);
    wake(extras);
    this.#listener?.(event);
    if (extras.said > SAID_MAX) this.#owner.saidTooMuch(this, SAID_MAX);
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
    if (this.#resolve !== undefined) this.#resolve(outcome);
    if (this.#extras === undefined) return;
    this.#extras.callOff?.();
    wake(this.#extras);
  }

  /** Settles it from this side; what was said so far is kept. */
  fail(error: CallFailure): void {
    const text = this.#text();
    this.settle(text === undefined ? { ok: false, error } : { ok: false, text, error });
  }

  /** What the plugin streamed so far. */
  #text(): string | undefined {
    let text: string | undefined;
    for (const event of this.#extras?.events ?? [])
      if (event.kind === 'text') text = (text ?? '') + event.text;
    return text;
  }

  #extra(): Extras {
    this.#extras ??= { events: [], said: 0, wakers: [], callOff: undefined };
    return this.#extras;
  }
}

function wake({ wakers }: Extras): void {
  for (const wake of wakers.splice(0)) wake();
}

export function failureOf(error: Error): CallFailure {
  if (!(error instanceof PluglotError)) return { code: 'INTERNAL', message: error.message };
  const { code, message, stderr } = error;
  return stderr === undefined ? { code, message } : { code, message, stderr };
}

/** NaN compares with nothing, so that a call with such a limit would have none. */
function ownLimit(options: CallOptions | undefined): number | undefined {
  const limitMs = options?.timeoutMs;
  return limitMs === undefined || Number.isNaN(limitMs) ? undefined : limitMs;
}
