// A request of the host, answered by a call of the backend: when the host gives the request up, the call is given up too.
import type { CallContext } from '../channel/peer/call-context.ts';
import type { RunningCall } from '../definition/backend.ts';
import type { Answer, CallEvent, CallSink } from '../definition/outcome.ts';

/** Never rejects. Nothing is heard of the call after its answer. */
export function backendAnswer(
  { signal }: Pick<CallContext, 'signal'>,
  onEvent: (event: CallEvent) => void,
  start: (sink: CallSink) => RunningCall,
  /** Resolves when more can be taken. @default at any time */
  drained?: () => Promise<void>,
): Promise<Answer> {
  return new Promise((resolve) => {
    let isOver = false;
    const call = start({
      event: (event) => {
        if (!isOver) onEvent(event);
      },
      ...(drained === undefined ? {} : { drained }),
      end: (answer) => {
        isOver = true;
        signal.removeEventListener('abort', cancel);
        resolve(answer);
      },
    });
    function cancel(): void {
      const reason: unknown = signal.reason;
      call.cancel(reason instanceof Error ? reason.message : 'The host gave the call up.');
    }
    if (isOver) return;
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
}
