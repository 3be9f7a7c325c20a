// What answers behind an author end: a definition that runs in this process, or a plugin of another dialect that is passed on.
// Author ends know this port alone, so whatever implements it speaks every dialect.
import type { Json, JsonObject } from '../base/json.ts';
import type { Caller } from './caller.ts';
import type { Execution } from './execution.ts';
import type { ExtractSource, FileType, FileTypes, Support } from './extraction.ts';
import type { Health } from './manifest.ts';
import type { CallDescription, CallFailure, CallRequest, CallSink } from './outcome.ts';
import type { CodeRequest, ContextUpdate, PlanRequest, TaskRequest } from './plan.ts';
import type { DialectName } from './plugin-spec.ts';
import type { JsonSchema, Tool } from './tool.ts';

/** What is optional may come and go as the profile changes: look when it is asked for. */
export interface Backend {
  /** As it is now. */
  readonly profile: Profile;
  /** Hears when the profile has changed; the returned function ends that. */
  onProfileChanged(listener: () => void): () => void;
  /**
   * Sets it up with what the host configured; anew when the host says so again. Calls before that set it up with nothing.
   * @throws PluglotError INVALID_ARGUMENTS when the configuration does not fit, START_FAILED, REQUIREMENT_MISSING
   */
  setup(config: JsonObject): Promise<SetupResult>;
  /** Starts a call; arguments are checked here. It ends by its time limit at the latest. Never throws. */
  call(request: BackendRequest, sink: CallSink): RunningCall;
  /** The commands of the profile; `tool` of the request is the name of one. */
  readonly commands?: {
    run(request: BackendRequest, sink: CallSink): RunningCall;
    /** What may stand for a parameter of which so much is typed; nothing where nobody knows. Never rejects. */
    complete(command: string, parameter: string, typed: string): Promise<readonly string[]>;
  };
  /** What the plugin says of a call to whoever is asked for permission; nothing where it says nothing in time. Never rejects. */
  describe?(tool: string, args: JsonObject): Promise<CallDescription | undefined>;
  /** What the user says to the plugin that keeps the session. */
  readonly talk?: { input(content: string, around: Around, sink: CallSink): RunningCall } | undefined;
  readonly extractor?:
    | {
        supports(type: FileType): Promise<Support>;
        extract(
          source: ExtractSource,
          type: FileType,
          options: JsonObject,
          around: Around,
          sink: CallSink,
        ): RunningCall;
      }
    | undefined;
  /** The `data` of its answer is a Plan, as JSON. */
  readonly planner?:
    | {
        createPlan(
          request: PlanRequest,
          around: Around & { readonly host?: TaskHost },
          sink: CallSink,
        ): RunningCall;
      }
    | undefined;
  /** The `data` of the answers is a TaskResult and a CodeVerdict, as JSON. */
  readonly executor?:
    | {
        executeTask(request: TaskRequest, around: Around, sink: CallSink): RunningCall;
        validateCode?(request: CodeRequest, around: Around, sink: CallSink): RunningCall;
      }
    | undefined;
  updateContext?(update: ContextUpdate): Promise<void>;
  health(): Promise<Health>;
  /** Gives up what is under way, with this failure or with PLUGIN_STOPPED, and takes it down. Never rejects, and ends within 5 s. */
  teardown(why?: CallFailure): Promise<void>;
}

/** What a plugin says of itself before it is asked anything. */
export interface Profile {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly author?: string;
  readonly instructions?: string;
  /** Programs that have to be in PATH. */
  readonly requires?: readonly { readonly command: string }[];
  readonly configSchema?: JsonSchema;
  readonly tools: readonly Tool[];
  readonly commands: readonly CommandProfile[];
  readonly extractor?: FileTypes;
  /** It makes plans. */
  readonly planner?: boolean;
  /** It does tasks, and validates code where it says so. */
  readonly executor?: { readonly validateCode?: boolean };
  /** It takes what the user says in a session. */
  readonly talks?: boolean;
  /** Tools that run without a question, where the owner of the host allows that. */
  readonly autoApprove: readonly string[];
}

/** What a user may call without the model. */
export interface CommandProfile {
  readonly name: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
    /** Takes all that is left of what was typed. */
    readonly captureRest?: boolean;
  }[];
  /** Whether the model sees what it answered. */
  readonly shareWithModel: boolean;
  /** It changes rules, trust or configuration: nobody but the owner of the host runs it, and nobody else is shown it. @default false */
  readonly forUsersOnly?: boolean;
}

export interface SetupResult {
  /** What holds now, defaults included; secrets left out. */
  readonly configApplied?: Json;
}

/** What is known of a question beside the question. */
export interface Around {
  /** Which words it came in. */
  readonly dialect: DialectName | 'in-process';
  /** How long the asker waits; Infinity when it did not say. */
  readonly timeoutMs: number;
  /** Who asks, where a gate of this process says it. No wire does: what stands there is the word of whoever is connected. */
  readonly caller?: Caller | undefined;
  /** How a command line may run, where a gate of this process says it. No wire does. */
  readonly execution?: Execution | undefined;
}

export type BackendRequest = CallRequest & Around;

export interface RunningCall {
  /** Gives it up: its signal fires, and its sink hears CALL_CANCELLED unless it ended before. */
  cancel(reason: string): void;
}

/** The host of a planner, as far as the planner may ask it for work. Rejects with PluglotError, or RpcError when the host refused. */
export interface TaskHost {
  /** What the executor says before its end goes to `onText`. */
  executeTask(request: TaskRequest, onText?: (text: string) => void): Promise<Json>;
  validateCode(request: CodeRequest): Promise<Json>;
}
