// Something to be done by author code.
import type { Around, RunningCall } from '../backend.ts';
import type { HandlerContext } from '../definition.ts';
import type { AnswerContent, CallerContext, CallSink } from '../outcome.ts';

export interface Job {
  /** Who is asked for what, to begin a sentence with. */
  readonly what: string;
  readonly around: Around & { readonly context?: CallerContext | undefined };
  /** @default as long as the asker waits */
  readonly timeoutMs?: number | undefined;
}

/** One that a handler does. */
export interface HandlerJob extends Job {
  start(context: HandlerContext): unknown;
  /** @default text, data or a result */
  read?(returned: unknown): AnswerContent | Promise<AnswerContent>;
}

/** Starts a job whose end the sink hears of. */
export type RunJob = (job: HandlerJob, sink: CallSink) => RunningCall;
