// The neutral definition of a plugin, as everything but its author sees it: what `definePlugin` makes, with the types of arguments left behind.
import type { Json, JsonObject } from '../base/json.ts';
import type { Around, CommandProfile, TaskHost } from './backend.ts';
import type { Caller } from './caller.ts';
import type { Execution } from './execution.ts';
import type { ExtractSource, FileType, FileTypes, Support } from './extraction.ts';
import type { Health } from './manifest.ts';
import type { CallDescription, CallerContext } from './outcome.ts';
import type {
  CodeRequest,
  CodeVerdict,
  ContextUpdate,
  Plan,
  PlanRequest,
  TaskRequest,
  TaskResult,
} from './plan.ts';
import type { LogLevel, Tool } from './tool.ts';

export interface Definition {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly author?: string;
  /** What a model should know before it uses the tools; a function is asked after each setup. */
  readonly instructions?: string | ((config: AnyConfig) => string | undefined);
  readonly config?: CheckedSchema;
  readonly tools: readonly ToolDefinition[];
  readonly commands: readonly CommandDefinition[];
  readonly extractor?: ExtractorDefinition;
  readonly planner?: PlannerDefinition;
  readonly executor?: ExecutorDefinition;
  /** What the user says while a call of this plugin keeps the session. */
  readonly onInput?: Handler<string>;
  /** Names of tools that may run without a question, where the owner of the host allows that. */
  readonly autoApprove: readonly string[];
  /** Programs that have to be in PATH. */
  readonly requires: readonly string[];
  /** Called with the checked configuration before the first call, and again when the host configures anew. */
  readonly setup?: (context: SetupContext) => unknown;
  readonly teardown?: () => unknown;
  readonly health?: () => Health | Promise<Health>;
  readonly updateContext?: (update: ContextUpdate) => unknown;
}

export interface ToolDefinition extends Tool {
  readonly input: CheckedSchema;
  readonly output?: CheckedSchema;
  readonly handler: Handler<JsonObject>;
  /** How long one call may take; without it the host's own limit holds. */
  readonly timeoutMs?: number;
  /** Runs in a worker thread, so that it may block. */
  readonly isolate?: boolean;
  /** What to say to whoever is asked whether this call may happen. */
  readonly describe?: Describe<JsonObject>;
}

export type Describe<Args> = (
  args: Args,
) => CallDescription | undefined | Promise<CallDescription | undefined>;

export interface CommandDefinition extends CommandProfile {
  readonly handler: Handler<JsonObject>;
  /** How long one call may take; without it the host's own limit holds. */
  readonly timeoutMs?: number;
  /** What may stand for a parameter of which so much is typed. */
  readonly complete?: (parameter: string, typed: string) => readonly string[] | Promise<readonly string[]>;
}

/** Unknown in; what the handler gets out, or sentences about what is wrong. */
export interface CheckedSchema {
  readonly jsonSchema: JsonObject;
  check(value: unknown): Checked | Promise<Checked>;
}

export type Checked = { readonly value: unknown } | { readonly problems: readonly string[] };

/** Sync, async, or an async generator whose yielded texts are streamed. */
export type Handler<Args> = (args: Args, context: HandlerContext) => unknown;

/** A configuration of which nothing is known but that it is an object. */
export type AnyConfig = Readonly<Record<string, unknown>>;

/** What a handler knows and can do beside its arguments. Its functions work alone too: `(args, { stream }) => …`. */
export interface HandlerContext<Config = AnyConfig> extends CallerContext {
  /** Says something before the end. */
  readonly stream: (text: string) => void;
  /** Resolves when the caller can take more; to be awaited by whoever streams much. Generators wait by themselves. */
  readonly drained: () => Promise<void>;
  readonly log: (level: LogLevel, message: string, data?: Json) => void;
  readonly progress: (progress: number, total?: number, message?: string) => void;
  /** Asks for what the user says next: `onInput` gets it. */
  readonly keepSession: (keep?: boolean) => void;
  /** Fires when the caller gave up, the time is over or the plugin ends. */
  readonly signal: AbortSignal;
  /** As it was checked at setup, defaults included. */
  readonly config: Config;
  readonly dialect: Around['dialect'];
  /** Who asks: a person, a model, a job or a connected program. Undefined where the host does not say it. */
  readonly caller?: Caller | undefined;
  /** How a command line in the arguments may run. Undefined where no gate has decided it. */
  readonly execution?: Execution | undefined;
  /** A folder of this plugin's own that survives restarts; made when first asked for. */
  readonly dataFolder: string;
}

export interface SetupContext<Config = AnyConfig> {
  /** As it was checked, defaults included. */
  readonly config: Config;
  /** Fires when the plugin ends. */
  readonly signal: AbortSignal;
  readonly dataFolder: string;
  readonly log: (level: LogLevel, message: string, data?: Json) => void;
  /** Where `instructions` is a function: it is asked again, and hosts hear of what is new. */
  readonly instructionsChanged: () => void;
}

export interface ExtractorDefinition extends FileTypes {
  /** @default by formats and extensions */
  readonly supports?: (type: FileType) => boolean | Support | Promise<boolean | Support>;
  readonly extract: Handler<ExtractRequest>;
}

export interface ExtractRequest {
  readonly source: ExtractSource;
  /** The content, however it came. */
  readonly read: () => Promise<Uint8Array>;
  readonly type: FileType;
  readonly options: JsonObject;
}

export interface PlannerDefinition {
  readonly createPlan: (
    request: PlanRequest,
    context: HandlerContext & { readonly host: TaskHost },
  ) => Plan | Promise<Plan>;
}

export interface ExecutorDefinition {
  readonly executeTask:
    | Handler<TaskRequest>
    | ((task: TaskRequest, context: HandlerContext) => TaskResult | Promise<TaskResult>);
  readonly validateCode?: (
    request: CodeRequest,
    context: HandlerContext,
  ) => CodeVerdict | Promise<CodeVerdict>;
}
