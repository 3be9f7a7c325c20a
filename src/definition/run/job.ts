// Something to be done by author code.
import type { Around, RunningCall } from '../backend.ts';
import type { HandlerContext } from '../definition.ts';
import type { AnswerContent, CallerContext, CallSink } from '../outcome.ts';

export interface Job {
  /** Who is asked for what, to begin a sentence with. */
  readonly what: string;
  readonly around: Around & { readonly context?: CallerContext | undefined };
  readonly timeoutMs?: number | undefined;
  start(context: HandlerContext): unknown;
  /** @default text, data or a result */
  read?(returned: unknown): AnswerContent | Promise<AnswerContent>;
}

/** Starts a job whose end the sink hears of. */
export type RunJob = (job: Job, sink: CallSink) => RunningCall;
