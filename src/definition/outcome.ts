// How one use of a tool goes and ends, whatever dialect it was made in.
import type { ErrorCode } from '../base/error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Trace } from '../base/trace.ts';
import type { Asker } from './asker.ts';
import type { LogEntry } from './tool.ts';

/** What a call says before it ends. */
export type CallEvent =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'log' } & LogEntry)
  | {
      readonly kind: 'progress';
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    };

/** A failure carries what a success carries: what was said before it is kept. */
export type Outcome = Answer & { readonly durationMs: number };

/** An outcome as the wire tells it, before anybody has measured how long it took. */
export type Answer = AnswerContent &
  ({ readonly ok: true } | { readonly ok: false; readonly error: CallFailure });

export interface AnswerContent {
  /** All text of the call: what was streamed, then what came with the end of it. Of a failure without its reason, unless that was shortened. */
  readonly text?: string;
  readonly data?: Json;
  /** Named strings for later steps. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** The plugin wants what the user says next. */
  readonly keepSession?: boolean;
}

export interface CallFailure {
  readonly code: ErrorCode;
  readonly message: string;
  /** The number the plugin itself used. */
  readonly wireCode?: number;
  readonly data?: Json;
  /** A word for programs, such as `UnsupportedArchitecture`. */
  readonly reason?: string;
  readonly details?: Json;
  readonly recoverable?: boolean;
  readonly suggestions?: readonly string[];
  /** The last that the plugin printed, when its process is what failed. */
  readonly stderr?: string;
}

/** Who wants to hear of a call. */
export interface CallSink {
  event(event: CallEvent): void;
  /** Resolves when more can be taken, for those who say much. Absent: at any time. */
  drained?(): Promise<void>;
  /** When nobody waits for the end any more, in the milliseconds of the host's clock. Absent: it is not known. */
  readonly deadline?: number;
  /** Told once, last. The answer is the sink's own from then on: it may add to it. */
  end(answer: Answer): void;
}

/** One use of a tool, as a dialect gets to see it. */
export interface CallRequest {
  readonly tool: string;
  readonly args: JsonObject;
  readonly context?: CallerContext | undefined;
  /** What the call is a part of. */
  readonly trace?: Trace | undefined;
  /** Whom the plugin may ask something meanwhile; undefined: nobody. */
  readonly asker?: Asker | undefined;
  /** How long the call may take; whoever makes the request ends it then. Told to plugins whose dialect has a word for it. */
  readonly timeoutMs: number;
}

/** What a plugin says of a call to whoever is asked for permission. */
export interface CallDescription {
  /** One line. */
  readonly summary?: string;
  readonly details?: string;
  /** What would change, as a unified diff. */
  readonly diff?: string;
}

/** What surrounds a call. A dialect passes on what it has words for. */
export interface CallerContext {
  /** The conversation so far, for plugins that answer in its light. */
  readonly conversation?: readonly Json[];
  readonly systemInfo?: string;
  readonly workdir?: string;
  readonly phase?: 'setup' | 'verify' | 'cleanup';
  readonly env?: Readonly<Record<string, string>>;
  readonly agent?: { readonly prompt?: string; readonly output?: string };
}
