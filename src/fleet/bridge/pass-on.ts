// A call of a plugin, told to whoever asked in another dialect: its events in order, then its end.
import type { Around, RunningCall } from '../../definition/backend.ts';
import type { Answer, CallFailure, CallSink, CallerContext } from '../../definition/outcome.ts';
import { refusedCall } from '../../dialect/refused-call.ts';
import type { Call, CallOptions } from '../plugin/call.ts';
import type { Plugin } from '../plugin/plugin.ts';
import { tellCall } from '../plugin/tell-call.ts';
import { inToolWords } from './failure-words.ts';

export function passOn(
  call: Call,
  sink: CallSink,
  atTheEnd: (answer: Answer) => Answer = (answer) => answer,
): RunningCall {
  return tellCall(call, sink, (answer) => {
    const told = atTheEnd(answer);
    return told.ok ? told : { ...told, error: inToolWords(told.error) };
  });
}

/** Puts a question to a plugin, and passes on what comes of it. */
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
      running?.cancel(reason);
    },
  };
}

/** Ends what has not begun. */
export function refuse(error: CallFailure, sink: CallSink): RunningCall {
  return refusedCall(inToolWords(error), sink);
}

/** Of the limit that the asker has and that of the plugin's own configuration the shorter one holds. */
export function optionsFor(
  { spec }: Plugin,
  { dialect, timeoutMs, context }: Around & { readonly context?: CallerContext | undefined },
): CallOptions {
  const limitMs = Math.min(timeoutMs, spec.limits?.callMs ?? Infinity);
  return {
    caller: dialect,
    ...(limitMs === Infinity ? {} : { timeoutMs: limitMs }),
    ...(context === undefined ? {} : { context }),
  };
}
