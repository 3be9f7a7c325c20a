// One use of a tool, as its caller sees it.
import type { Trace } from '../../base/trace.ts';
import type { Asker } from '../../definition/asker.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Execution } from '../../definition/execution.ts';
import type { CallEvent, CallerContext, Outcome } from '../../definition/outcome.ts';

/**
 * Await it for the outcome, or iterate it for what is said before. It never rejects: whatever goes wrong, also with the plugin or on
 * the way, is an outcome that is not ok.
 */
export interface Call extends PromiseLike<Outcome>, AsyncIterable<CallEvent> {
  /** Names the call wherever it leaves a trace. */
  readonly id: string;
  readonly tool: string;
  readonly outcome: Promise<Outcome>;
  /** Ends it at once with CALL_CANCELLED; what was said so far is kept. */
  cancel(reason?: string): void;
}

export interface CallOptions {
  /** The id that it has already, such as that of the gate. @default one of its own */
  readonly id?: string;
  /**
   * Counts from sending; and for so long it may wait to be sent.
   * @default limits.callMs of the plugin
   */
  readonly timeoutMs?: number;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Calls of different callers take turns. */
  readonly caller?: string;
  /** Who asks for it; told to handlers in this process, and to nobody else. */
  readonly onBehalfOf?: Caller;
  /** How a command line in the arguments may run; told to handlers in this process alone. */
  readonly execution?: Execution | undefined;
  readonly context?: CallerContext;
  /** What the call is a part of: told to plugins whose dialect has room for it, and kept in logs. */
  readonly trace?: Trace;
  /** Whom the plugin may ask something meanwhile. While they think, the time limit does not run. @default nobody */
  readonly asker?: Asker;
}
