// Conversations with a definition in this process. All that is said goes to its one onInput, so there is one at a time and others wait.
import type { Clock } from '../../base/clock.ts';
import type { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { patiently } from '../../base/patience.ts';
import { Signals } from '../../channel/peer/signals.ts';
import type { Backend } from '../../definition/backend.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import { refusedCall } from '../../dialect/refused-call.ts';
import type { Call, CallOptions } from '../plugin/call.ts';
import { waitedTooLong } from '../plugin/dispatch-failures.ts';
import type { HeldCall } from '../plugin/held-call.ts';
import { OpenTalk, type Conversation, type Talk, type TalkPlace } from '../plugin/talk.ts';
import { limitOf, type InProcessCall, type PreparedCall } from './in-process-calls.ts';
import type { InProcessHost, InProcessLimits } from './in-process-host.ts';

export interface InProcessTalkParts {
  readonly plugin: string;
  readonly host: Pick<InProcessHost, 'clock' | 'calls'>;
  readonly limits: InProcessLimits;
  /** What hears what the user says. */
  readonly ear: NonNullable<Backend['talk']>;
  /** A call of a tool. */
  toolCall(tool: string, args: JsonObject, options: CallOptions): InProcessCall;
}

/** As many as wait for a process, unless somebody says otherwise. */
const WAITING_MAX = 1024;

export class InProcessTalks {
  readonly #parts: InProcessTalkParts;
  readonly #signals = new Signals();
  #current: Seat | undefined;
  /** In their order. */
  readonly #waiting = new Set<Seat>();

  constructor(parts: InProcessTalkParts) {
    this.#parts = parts;
  }

  talk(tool: string, args: JsonObject, { signal, ...options }: CallOptions = {}): Talk {
    const seat = new Seat(this.#parts, tool, args, options, {
      submitted: () => this.#submitted(seat),
      left: () => this.#left(seat),
    });
    return new OpenTalk(seat).begin(signal, this.#signals);
  }

  /** To be told before the plugin is taken down, which gives up what is under way. */
  stop(): void {
    const why: CallFailure = {
      code: 'PLUGIN_STOPPED',
      message: `Plugin "${this.#parts.plugin}" was stopped, and the conversation with it.`,
    };
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const seat of waiting) seat.opening.call.fail(why);
    this.#current?.lost(why);
  }

  #submitted(seat: Seat): void {
    if (this.#current === undefined) this.#begin(seat);
    else if (this.#waiting.size >= WAITING_MAX)
      seat.opening.call.fail({
        code: 'TOO_MANY_CALLS',
        message: `${WAITING_MAX} conversations wait for plugin "${seat.plugin}" already. Await earlier ones first.`,
      });
    else {
      this.#waiting.add(seat);
      seat.wait();
    }
  }

  #begin(seat: Seat): void {
    this.#current = seat;
    seat.begin();
  }

  #left(seat: Seat): void {
    this.#waiting.delete(seat);
    if (this.#current !== seat) return;
    this.#current = undefined;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#begin(next);
  }
}

/** The place of one conversation. */
class Seat implements TalkPlace<HeldCall> {
  readonly plugin: string;
  readonly clock: Clock;
  /** The call that begins it. */
  readonly opening: PreparedCall;
  readonly #parts: InProcessTalkParts;
  readonly #tool: string;
  readonly #options: CallOptions;
  readonly #queue: { submitted(): void; left(): void };
  #talk: Conversation | undefined;
  #stopWaiting = () => {};

  constructor(
    parts: InProcessTalkParts,
    tool: string,
    args: JsonObject,
    options: CallOptions,
    queue: { submitted(): void; left(): void },
  ) {
    this.#parts = parts;
    this.plugin = parts.plugin;
    this.clock = parts.host.clock;
    this.#tool = tool;
    this.#options = options;
    this.#queue = queue;
    this.opening = parts.host.calls.prepare(parts.toolCall(tool, args, options));
  }

  talkMs(): number {
    return this.#parts.limits.talkMs;
  }

  open(talk: Conversation): HeldCall {
    this.#talk = talk;
    return this.opening.call;
  }

  submit({ isSettled }: HeldCall): void {
    // Arguments that are refused need no turn.
    if (!isSettled) this.#queue.submitted();
  }

  /** For as long as its call may take. */
  wait(): void {
    const timeoutMs = limitOf(this.#options) ?? this.#parts.limits.callMs;
    const why = waitedTooLong(this.plugin, { tool: this.#tool, timeoutMs }, 'in a conversation');
    this.#stopWaiting = patiently(this.clock, timeoutMs, () => this.opening.call.fail(why));
  }

  begin(): void {
    this.#stopWaiting();
    this.#talk?.begun();
    this.opening.begin();
  }

  lost(why: CallFailure): void {
    this.#talk?.lost(why);
  }

  /** What was given up is over at once; its handler hears of that by its signal. */
  isBusy(): boolean {
    return false;
  }

  say(content: string): HeldCall {
    return this.#parts.host.calls.open(this.#input(content));
  }

  refused(why: CallFailure): Call {
    const { call } = this.#parts.host.calls.prepare(this.#input(''));
    call.fail(why);
    return call;
  }

  expired(current: HeldCall, { code, message }: PluglotError): void {
    current.giveUp({ code, message });
  }

  left(): void {
    this.#stopWaiting();
    this.#queue.left();
  }

  #input(content: string): InProcessCall {
    const { ear, limits } = this.#parts;
    return {
      what: `Plugin "${this.plugin}"`,
      name: this.#tool,
      args: { content },
      options: this.#options,
      limitMs: limits.callMs,
      messageBytes: limits.messageBytes,
      begin(request, sink) {
        const { content: said } = request.args;
        if (typeof said === 'string') return ear.input(said, request, sink);
        return refusedCall({ code: 'INVALID_ARGUMENTS', message: 'What is said has to be a text.' }, sink);
      },
    };
  }
}
