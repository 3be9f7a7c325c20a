// The conversation of a host with a bridged plugin, and how calls and failures are passed on to another dialect.
import type { ErrorCode } from '../../base/error.ts';
import { sentences } from '../../base/text.ts';
import type { Answer, CallFailure, CallInfo, CallRequest, CallSink } from '../../definition/outcome.ts';
import type { RunningCall } from '../../definition/plugin-port.ts';
import { refusedCall } from '../../dialect/failure.ts';
import { leftBehind } from '../../dialect/talk-tool.ts';
import { type Call, type CallOptions, pipeCall } from '../../definition/call.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { Talk, TalkEnding } from '../plugin/talk.ts';

export class Conversations {
  #talk: Talk | undefined;
  /** How the last one ended, if the host did not leave it. */
  #ending: TalkEnding | undefined;

  /** A call that may keep the session. */
  begin(plugin: Plugin, tool: string, request: CallRequest, sink: CallSink): RunningCall {
    this.leave();
    const talk = plugin.talk(tool, request.args, optionsFor(plugin, request));
    this.#talk = talk;
    void talk.ended.then((ending) => {
      if (this.#talk !== talk) return;
      this.#talk = undefined;
      this.#ending = ending;
    });
    return this.#pass(talk, talk.opening, sink);
  }

  input(content: string, sink: CallSink): RunningCall {
    if (this.#talk === undefined) return refuse({ code: 'NOT_TALKING', message: this.#whyNot() }, sink);
    return this.#pass(this.#talk, this.#talk.say(content), sink);
  }

  /** Another request of the host ends the conversation. The input under way is answered before, and keeps no session. */
  leave(): void {
    const talk = this.#talk;
    this.#talk = undefined;
    this.#ending = undefined;
    if (talk?.isOpen === true) talk.end();
  }

  /** Ends it for good. */
  end(): void {
    this.#talk?.end();
    this.#talk = undefined;
  }

  #pass(talk: Talk, call: Call, sink: CallSink): RunningCall {
    const isLeft = () => this.#talk !== talk;
    void call.outcome.then(() => {
      if (isLeft()) talk.end();
    });
    return passOn(call, sink, (answer) => (isLeft() ? leftBehind(answer) : answer));
  }

  #whyNot(): string {
    const message = 'No plugin keeps the session: call a tool that does so first.';
    return this.#ending?.reason === 'failed' ? sentences(this.#ending.error.message, message) : message;
  }
}

// Passes a call of a plugin on to the host: its events in order, then its end.

export function passOn(
  call: Call,
  sink: CallSink,
  atTheEnd: (answer: Answer) => Answer = (answer) => answer,
): RunningCall {
  return pipeCall(call, sink, (answer) => {
    const ended = atTheEnd(answer);
    return ended.ok ? ended : { ...ended, error: asToolFailure(ended.error) };
  });
}

/** Starts a call of a plugin and passes its events on. */
export type Ask = (question: () => Call, sink: CallSink) => RunningCall;

/** For a call whose plugin has to be found first. */
export function askWhenFound(
  ask: Ask,
  found: Promise<(() => Call) | CallFailure>,
  sink: CallSink,
): RunningCall {
  let cancelled: string | undefined;
  let running: RunningCall | undefined;
  void found.then((begin) => {
    if (cancelled !== undefined) refuse({ code: 'CALL_CANCELLED', message: cancelled }, sink);
    else running = typeof begin === 'function' ? ask(begin, sink) : refuse(begin, sink);
  });
  return {
    cancel(reason) {
      cancelled ??= reason;
      return running?.cancel(reason) ?? 'free';
    },
  };
}

/** Ends a call that has not begun. */
export function refuse(error: CallFailure, sink: CallSink): RunningCall {
  return refusedCall(asToolFailure(error), sink);
}

/** The shorter of the host's limit and the plugin's own one. */
export function optionsFor(
  { spec }: Plugin,
  { dialect = 'in-process', timeoutMs = Infinity, context }: CallInfo = {},
): CallOptions {
  const limitMs = Math.min(timeoutMs, spec.limits?.callMs ?? Infinity);
  return {
    caller: dialect,
    ...(limitMs === Infinity ? {} : { timeoutMs: limitMs }),
    ...(context === undefined ? {} : { context }),
  };
}

// Failures of a plugin as failures of a tool: other dialects have codes for these alone.

/** The number belongs to the plugin's own dialect and means something else in another; the original code is kept as the reason. */
export function asToolFailure({ wireCode: _wireCode, ...failure }: CallFailure): CallFailure {
  const code = words[failure.code];
  if (code === failure.code) return failure;
  return { ...failure, code, reason: failure.reason ?? failure.code };
}

const words: Readonly<Record<ErrorCode, ErrorCode>> = {
  INTERNAL: 'INTERNAL',
  INVALID_ARGUMENTS: 'INVALID_ARGUMENTS',
  NOT_INITIALIZED: 'NOT_INITIALIZED',
  RATE_LIMITED: 'RATE_LIMITED',
  REQUIREMENT_MISSING: 'REQUIREMENT_MISSING',
  TIMEOUT: 'TIMEOUT',
  TOOL_FAILED: 'TOOL_FAILED',
  UNAUTHENTICATED: 'UNAUTHENTICATED',
  UNAVAILABLE: 'UNAVAILABLE',
  UNKNOWN_TOOL: 'UNKNOWN_TOOL',
  UNSUPPORTED: 'UNSUPPORTED',
  CALL_CANCELLED: 'CALL_CANCELLED',
  NOT_TALKING: 'NOT_TALKING',

  CALL_TIMEOUT: 'TIMEOUT',
  ACK_TIMEOUT: 'TIMEOUT',
  TALK_TIMEOUT: 'TIMEOUT',
  START_TIMEOUT: 'TIMEOUT',
  TOO_MANY_CALLS: 'RATE_LIMITED',
  BUDGET_SPENT: 'RATE_LIMITED',

  PERMISSION_DENIED: 'TOOL_FAILED',

  AUDIT_FAILED: 'UNAVAILABLE',
  BAD_REQUEST: 'UNAVAILABLE',
  CRASH_LOOP: 'UNAVAILABLE',
  DIALECT_UNKNOWN: 'UNAVAILABLE',
  NOT_FOUND: 'UNAVAILABLE',
  NOT_TRUSTED: 'UNAVAILABLE',
  PEER_CLOSED: 'UNAVAILABLE',
  PIPE_ENDED: 'UNAVAILABLE',
  PIPE_FULL: 'UNAVAILABLE',
  PLUGIN_EXITED: 'UNAVAILABLE',
  PLUGIN_STOPPED: 'UNAVAILABLE',
  PROGRAM_NOT_FOUND: 'UNAVAILABLE',
  REQUEST_REFUSED: 'UNAVAILABLE',
  START_FAILED: 'UNAVAILABLE',
  UNKNOWN_PLUGIN: 'UNAVAILABLE',
  WATCHDOG_KILLED: 'UNAVAILABLE',

  CONFIG_INVALID: 'INTERNAL',
  DEFINITION_INVALID: 'INTERNAL',
  FRAME_TOO_LARGE: 'INTERNAL',
  INVALID_RESPONSE: 'INTERNAL',
  MESSAGE_REFUSED: 'INTERNAL',
  OUTPUT_INVALID: 'INTERNAL',
  PROTOCOL_VIOLATION: 'INTERNAL',
  UNENCODABLE: 'INTERNAL',
  UNSUPPORTED_PROTOCOL: 'INTERNAL',
};
