// A call of a tool in neutral form: its request, its events and its outcome.
import type { ErrorCode } from '../base/error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Trace } from '../base/trace.ts';
import type { Asker, Caller, Execution } from './caller.ts';
import type { Manifest } from './manifest.ts';
import type { JsonSchema, LogEntry } from './tool.ts';

/** What a plugin sends during a call. */
export type CallEvent =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'log' } & LogEntry)
  | {
      readonly kind: 'progress';
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    };

/** A failure has the content of a success too: text that was streamed before it is kept. */
export type Outcome = Answer & { readonly durationMs: number };

/** An outcome as it comes from the plugin, without its duration. */
export type Answer = AnswerContent &
  ({ readonly ok: true } | { readonly ok: false; readonly error: CallFailure });

export interface AnswerContent {
  /** All text of the call: what was streamed, then what came with the end of it. Of a failure without its reason, unless that was shortened. */
  readonly text?: string;
  readonly data?: Json;
  /** Named strings for later steps. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** The plugin wants the next input of the user. */
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

/** Receives the events and the answer of a call. */
export interface CallSink {
  event(event: CallEvent): void;
  /** Resolves when more events can be taken. Absent: at any time. */
  drained?(): Promise<void>;
  /** When the caller stops waiting, in milliseconds of the host's clock. Absent: unknown. */
  readonly deadline?: number;
  /** Called once, last. The sink owns the answer from then on and may add to it. */
  end(answer: Answer): void;
}

/** One use of a tool, as the plugin gets it. */
export interface CallRequest extends CallInfo {
  readonly tool: string;
  readonly args: JsonObject;
}

/** What is known of a call beside what it asks for. */
export interface CallInfo {
  /** The dialect that it came in. @default 'in-process' */
  readonly dialect?: Manifest['dialect'];
  /** How long the caller waits. Sent to plugins whose dialect has a field for it. @default Infinity */
  readonly timeoutMs?: number;
  readonly context?: CallerContext | undefined;
  /** What the call is a part of. */
  readonly trace?: Trace | undefined;
  /** Answers questions of the plugin during the call; undefined: no one does. */
  readonly asker?: Asker | undefined;
  /** The caller, as the gate of this process knows it. Never taken from a wire, where any client can claim it. */
  readonly caller?: Caller | undefined;
  /** How a command line may run, where a gate of this process decided it. Never taken from a wire. */
  readonly execution?: Execution | undefined;
  /** The input schema that the arguments were validated against, with defaults filled in: the same one is not applied twice. */
  readonly validatedAgainst?: JsonSchema | undefined;
}

/** The plugin's description of a call, for the person who is asked for permission. */
export interface CallDescription {
  /** One line. */
  readonly summary?: string;
  readonly details?: string;
  /** What would change, as a unified diff. */
  readonly diff?: string;
}

/** The context of a call. A dialect passes on what it has fields for. */
export interface CallerContext {
  /** The conversation so far, for plugins that answer in its light. */
  readonly conversation?: readonly Json[];
  readonly systemInfo?: string;
  readonly workdir?: string;
  readonly phase?: 'setup' | 'verify' | 'cleanup';
  readonly env?: Readonly<Record<string, string>>;
  readonly agent?: { readonly prompt?: string; readonly output?: string };
}

/** The same in every copy of this module: a plugin may bring its own, and run in the process of a host that has another. */
const brand: unique symbol = Symbol.for('pluglot.result');

/** Made by `result()`. */
export interface Result<Data = unknown> extends ResultContent<Data> {
  readonly [brand]: true;
}

export interface ResultContent<Data = unknown> extends Omit<AnswerContent, 'data'> {
  readonly data?: Data;
}

/** Text, data and named outputs at once; and whether the plugin wants the next input of the user. */
export function result<const Data>(content: ResultContent<Data>): Result<Data> {
  return { ...content, [brand]: true };
}

export function isResult(value: unknown): value is Result {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand);
}
