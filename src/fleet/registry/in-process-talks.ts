// Conversations with a definition in this process. It has one onInput, so there is one conversation at a time and others wait.
import { callWhenDue, type Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { Signals } from '../../channel/peer/signals.ts';
import type { Call, CallOptions, PendingCall } from '../../definition/call.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import type { TalkPort } from '../../definition/plugin-port.ts';
import { refusedCall } from '../../dialect/failure.ts';
import { waitedTooLong } from '../plugin/dispatch-failures.ts';
import type { Conversation } from '../plugin/instance.ts';
import { OpenTalk, type Talk, type TalkPlace } from '../plugin/talk.ts';
import {
  type InProcessCall,
  type InProcessHost,
  type InProcessLimits,
  limitOf,
  type PreparedCall,
} from './in-process-calls.ts';

export interface InProcessTalkParts {
  readonly plugin: string;
  readonly host: Pick<InProcessHost, 'clock' | 'calls'>;
  readonly limits: InProcessLimits;
  /** Takes what the user says. */
  readonly input: TalkPort;
  /** A call of a tool. */
  toolCall(tool: string, args: JsonObject, options: CallOptions): InProcessCall;
}

/** The default of queueLimit for processes. */
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

  /** To be called before the plugin is taken down, which gives up running calls. */
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
class Seat implements TalkPlace<PendingCall> {
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

  open(talk: Conversation): PendingCall {
    this.#talk = talk;
    return this.opening.call;
  }

  submit({ isSettled }: PendingCall): void {
    // Arguments that are refused need no turn.
    if (!isSettled) this.#queue.submitted();
  }

  /** For as long as its call may take. */
  wait(): void {
    const timeoutMs = limitOf(this.#options) ?? this.#parts.limits.callMs;
    const why = waitedTooLong(this.plugin, { tool: this.#tool, timeoutMs }, 'in a conversation');
    this.#stopWaiting = callWhenDue(this.clock, timeoutMs, () => this.opening.call.fail(why));
  }

  begin(): void {
    this.#stopWaiting();
    this.#talk?.begun();
    this.opening.begin();
  }

  lost(why: CallFailure): void {
    this.#talk?.lost(why);
  }

  /** A call that is given up ends at once; its handler is notified by the signal. */
  isBusy(): boolean {
    return false;
  }

  say(content: string): PendingCall {
    return this.#parts.host.calls.open(this.#input(content));
  }

  refused(why: CallFailure): Call {
    const { call } = this.#parts.host.calls.prepare(this.#input(''));
    call.fail(why);
    return call;
  }

  expired(current: PendingCall, { code, message }: PluglotError): void {
    current.giveUp({ code, message });
  }

  left(): void {
    this.#stopWaiting();
    this.#queue.left();
  }

  #input(content: string): InProcessCall {
    const { input, limits } = this.#parts;
    return {
      what: `Plugin "${this.plugin}"`,
      name: this.#tool,
      args: { content },
      options: this.#options,
      limitMs: limits.callMs,
      messageBytes: limits.messageBytes,
      begin(request, sink) {
        const { content: text } = request.args;
        if (typeof text === 'string') return input.input(text, sink, request);
        return refusedCall({ code: 'INVALID_ARGUMENTS', message: 'Input of the user must be a text.' }, sink);
      },
    };
  }
}

export function noTalk(plugin: string): PluglotError {
  return new PluglotError(
    'NOT_TALKING',
    `Plugin "${plugin}" holds no conversations, since it has no onInput. Call the tool instead of talking with it.`,
  );
}
