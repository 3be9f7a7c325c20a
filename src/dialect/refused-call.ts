// A call that is over before it began.
import type { RunningCall } from '../definition/backend.ts';
import type { CallFailure, CallSink } from '../definition/outcome.ts';

export function refusedCall(error: CallFailure, sink: CallSink): RunningCall {
  sink.end({ ok: false, error });
  return { cancel: () => {} };
}
