// What a plugin can be asked, wherever it runs: a definition in this process, a process behind a wire, or several plugins served as one.
import type { Json, JsonObject } from '../base/json.ts';
import type { Health, Manifest } from './manifest.ts';
import type { CallDescription, CallFailure, CallInfo, CallRequest, CallSink } from './outcome.ts';
import type {
  CodeRequest,
  ContextUpdate,
  ExtractionRequest,
  FileType,
  PlanRequest,
  Support,
  TaskRequest,
} from './plan.ts';

/** Optional parts may come and go as the manifest changes: look them up for each use. */
export interface PluginPort {
  /** As it is now. */
  readonly manifest: Manifest;
  /** Starts a call. One that cannot be started ends at once with the reason. Never throws. */
  call(request: CallRequest, sink: CallSink): RunningCall;
  readonly commands?: CommandsPort;
  /** The plugin's description of a call, for the person who is asked; undefined where it gives none in time. Never rejects. */
  describe?(tool: string, args: JsonObject): Promise<CallDescription | undefined>;
  readonly talk?: TalkPort | undefined;
  readonly extractor?: ExtractorPort | undefined;
  readonly planner?: PlannerPort | undefined;
  readonly executor?: ExecutorPort | undefined;
  /** Sends changes of files, dependencies or state. */
  updateContext?(update: ContextUpdate, sink: CallSink, info?: CallInfo): RunningCall;
  readonly resources?: ResourcesPort;
  readonly prompts?: PromptsPort;
  health?(limitMs: number): Promise<Health>;
}

/** A port that is set up and taken down from this side: what author ends serve. It checks arguments and keeps time limits itself. */
export interface ServedPort extends PluginPort {
  /** The returned function ends it. */
  onManifestChanged(listener: () => void): () => void;
  /**
   * Sets it up with the configuration of the host, again each time the host sends one. A call before that sets it up with none.
   * @throws PluglotError INVALID_ARGUMENTS when the configuration does not fit, START_FAILED, REQUIREMENT_MISSING
   */
  setup(config: JsonObject): Promise<SetupResult>;
  /** Never rejects, and answers within 2.5 s. */
  health(): Promise<Health>;
  /** Gives up running calls, with this failure or with PLUGIN_STOPPED, and takes it down. Never rejects, and ends within 5 s. */
  teardown(why?: CallFailure): Promise<void>;
}

export interface SetupResult {
  /** The configuration as it applies, with defaults and without secrets. */
  readonly configApplied?: Json;
}

export interface RunningCall {
  /**
   * Gives the call up. `free`: the plugin was notified and takes other calls. `occupied`: the dialect has no message for it; `end` of
   * the sink is still called when the plugin has finished.
   */
  cancel(reason: string): 'free' | 'occupied';
}

export interface CommandsPort {
  /** `tool` of the request is the name of the command. */
  run(request: CallRequest, sink: CallSink): RunningCall;
  /** Completions of a parameter; empty where there are none. Never rejects. */
  complete(command: string, parameter: string, typed: string): Promise<readonly string[]>;
}

/** The user speaks, the plugin answers: one input at a time, until an answer comes without keepSession. */
export interface TalkPort {
  input(content: string, sink: CallSink, info?: CallInfo): RunningCall;
}

export interface ExtractorPort {
  supports(type: FileType, limitMs?: number): Promise<Support>;
  extract(request: ExtractionRequest, sink: CallSink, info?: CallInfo): RunningCall;
}

/** The `data` of its answer is a Plan, as JSON. */
export interface PlannerPort {
  createPlan(
    request: PlanRequest,
    sink: CallSink,
    info?: CallInfo & { readonly host?: TaskHost },
  ): RunningCall;
}

/** The `data` of its answers is a TaskResult and a CodeVerdict, as JSON. */
export interface ExecutorPort {
  executeTask(request: TaskRequest, sink: CallSink, info?: CallInfo): RunningCall;
  validateCode?(request: CodeRequest, sink: CallSink, info?: CallInfo): RunningCall;
  /** Several requests in one message; absent where the executor does not take batches. */
  batch?(questions: readonly ExecutorQuestion[]): readonly RunningCall[];
}

export type ExecutorQuestion =
  | { readonly kind: 'task'; readonly request: TaskRequest; readonly sink: CallSink }
  | { readonly kind: 'code'; readonly request: CodeRequest; readonly sink: CallSink };

export interface ResourcesPort {
  list(): Promise<Json>;
  read(uri: string): Promise<Json>;
  /** Its changes are reported from then on; absent where the server reports none. */
  subscribe?(uri: string): Promise<void>;
  unsubscribe?(uri: string): Promise<void>;
  /** Completions for a part of a template; absent where the server has none. */
  complete?(params: Readonly<Record<string, Json>>): Promise<Json>;
}

export interface PromptsPort {
  list(): Promise<Json>;
  get(name: string, args: Readonly<Record<string, string>>): Promise<Json>;
  /** Completions for an argument; absent where the server has none. */
  complete?(params: Readonly<Record<string, Json>>): Promise<Json>;
}

/** The host of a planner, as far as the planner may ask it for work. Rejects with PluglotError, or RpcError when the host refused. */
export interface TaskHost {
  /** Text that the executor streams goes to `onText`. */
  executeTask(request: TaskRequest, onText?: (text: string) => void): Promise<Json>;
  validateCode(request: CodeRequest): Promise<Json>;
}
