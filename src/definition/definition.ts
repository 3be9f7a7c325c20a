// The neutral definition of a plugin, as everything but its author sees it: what `definePlugin` makes, with the types of arguments left behind.
import type { Json, JsonObject } from '../base/json.ts';
import type { TaskHost } from './plugin-port.ts';
import type { CommandManifest, Health, Manifest } from './manifest.ts';
import type { Caller, Execution } from './caller.ts';
import type {
  ExtractionRequest,
  FileType,
  FileTypes,
  Support,
  CodeRequest,
  CodeVerdict,
  ContextUpdate,
  Plan,
  PlanRequest,
  TaskRequest,
  TaskResult,
} from './plan.ts';
import type { CallDescription, CallerContext } from './outcome.ts';
import type { LogLevel, Tool } from './tool.ts';

export interface Definition {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly author?: string;
  /** What a model should know before it uses the tools; a function is called after each setup. */
  readonly instructions?: string | ((config: AnyConfig) => string | undefined);
  readonly config?: CheckedSchema;
  readonly tools: readonly ToolDefinition[];
  readonly commands: readonly CommandDefinition[];
  readonly extractor?: ExtractorDefinition;
  readonly planner?: PlannerDefinition;
  readonly executor?: ExecutorDefinition;
  /** Takes input of the user while a call of this plugin keeps the session. */
  readonly onInput?: Handler<string>;
  /** Names of tools that may run without a question, where the owner of the host allows that. */
  readonly autoApprove: readonly string[];
  /** Programs that have to be in PATH. */
  readonly requires: readonly string[];
  /** Called with the checked configuration before the first call, and again each time the host sends one. */
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
  /** Describes a call for the person who is asked for permission. */
  readonly describe?: Describe<JsonObject>;
}

export type Describe<Args> = (
  args: Args,
) => CallDescription | undefined | Promise<CallDescription | undefined>;

export interface CommandDefinition extends CommandManifest {
  readonly handler: Handler<JsonObject>;
  /** How long one call may take; without it the host's own limit holds. */
  readonly timeoutMs?: number;
  /** Completions for a parameter of which so much is typed. */
  readonly complete?: (parameter: string, typed: string) => readonly string[] | Promise<readonly string[]>;
}

/** Unknown in; what the handler gets out, or sentences about what is wrong. */
export interface CheckedSchema {
  readonly jsonSchema: JsonObject;
  /** The check does no more than the JSON Schema: what was validated against that need not be checked. @default false */
  readonly isJsonSchema?: boolean;
  check(value: unknown): Checked | Promise<Checked>;
}

export type Checked = { readonly value: unknown } | { readonly problems: readonly string[] };

/** Sync, async, or an async generator whose yielded texts are streamed. */
export type Handler<Args> = (args: Args, context: HandlerContext) => unknown;

/** A configuration of which nothing is known but that it is an object. */
export type AnyConfig = Readonly<Record<string, unknown>>;

/** What a handler gets beside its arguments. Its functions work alone too: `(args, { stream }) => …`. */
export interface HandlerContext<Config = AnyConfig> extends CallerContext {
  /** Sends text before the end. */
  readonly stream: (text: string) => void;
  /** Resolves when the caller can take more; await it when streaming much. Generators wait by themselves. */
  readonly drained: () => Promise<void>;
  readonly log: (level: LogLevel, message: string, data?: Json) => void;
  readonly progress: (progress: number, total?: number, message?: string) => void;
  /** Asks for the next input of the user: `onInput` gets it. */
  readonly keepSession: (keep?: boolean) => void;
  /** Fires when the caller gave up, the time is over or the plugin ends. */
  readonly signal: AbortSignal;
  /** As it was checked at setup, defaults included. */
  readonly config: Config;
  readonly dialect: Manifest['dialect'];
  /** The caller: a person, a model, a job or a connected program. Undefined where the host does not send it. */
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
  /** Where `instructions` is a function: calls it again, and notifies hosts of a change. */
  readonly instructionsChanged: () => void;
}

export interface ExtractorDefinition extends FileTypes {
  /** @default by formats and extensions */
  readonly supports?: (type: FileType) => boolean | Support | Promise<boolean | Support>;
  readonly extract: Handler<ExtractRequest>;
}

export interface ExtractRequest extends Required<ExtractionRequest> {
  readonly type: FileType;
  /** The content, from wherever the source is. */
  readonly read: () => Promise<Uint8Array>;
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

/** By which declaration the type is supported; undefined when by none. */
export function declaredBy(
  { formats, extensions }: FileTypes,
  { mimeType, extension }: FileType,
): 'mime_type' | 'extension' | undefined {
  const type = mimeType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== undefined && formats.some((format) => covers(format.toLowerCase(), type))) return 'mime_type';
  const isKnown =
    extension !== undefined && extensions.some((known) => withDot(known) === withDot(extension));
  return isKnown ? 'extension' : undefined;
}

function covers(format: string, type: string): boolean {
  return format.endsWith('/*') ? type.startsWith(format.slice(0, -1)) : format === type;
}

function withDot(extension: string): string {
  return `.${extension.toLowerCase().replace(/^\./, '')}`;
}

/** An extractor as authors write it: with at least one format or extension, or `supports`. */
export type ExtractorOptions = Omit<ExtractorDefinition, 'formats' | 'extensions'> &
  Partial<Pick<ExtractorDefinition, 'formats' | 'extensions'>>;

/** Takes files apart: text, and what else there is to know of them. */
export function extractor(options: ExtractorOptions): ExtractorDefinition {
  return {
    ...options,
    formats: options.formats ?? [],
    extensions: (options.extensions ?? []).map((name) => (name.startsWith('.') ? name : `.${name}`)),
  };
}

/** Makes plans out of what a user wants. */
export function planner(options: PlannerDefinition): PlannerDefinition {
  return options;
}

/** Does the tasks of plans, and checks code. */
export function executor(options: ExecutorDefinition): ExecutorDefinition {
  return options;
}
