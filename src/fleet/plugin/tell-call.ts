// A call, told to a sink: its events in order, then its end.
import type { RunningCall } from '../../definition/backend.ts';
import type { Answer, CallSink } from '../../definition/outcome.ts';
import type { Call } from './call.ts';

export function tellCall(
  call: Call,
  sink: CallSink,
  inWords: (answer: Answer) => Answer = (answer) => answer,
): RunningCall {
  void tell(call, sink, inWords);
  return { cancel: (reason) => call.cancel(reason) };
}

async function tell(call: Call, sink: CallSink, inWords: (answer: Answer) => Answer): Promise<void> {
  for await (const event of call) {
    sink.event(event);
    await sink.drained?.().catch(() => {});
  }
  const { durationMs: _, ...answer } = await call.outcome;
  sink.end(inWords(answer));
}
