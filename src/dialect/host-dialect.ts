// The host's side of a protocol: what every dialect's host.ts offers, and what it is handed.
import type { Clock } from '../base/clock.ts';
import type { Json } from '../base/json.ts';
import type { Ending, Pipe } from '../channel/bytes/pipe.ts';
import type { Observer } from '../channel/peer/listeners.ts';
import type { PeerTrouble } from '../channel/peer/options.ts';
import type { RunningCall } from '../definition/backend.ts';
import type { ExtractSource, FileType, Support } from '../definition/extraction.ts';
import type { Health, Manifest } from '../definition/manifest.ts';
import type { CallRequest, CallSink } from '../definition/outcome.ts';
import type { CodeRequest, ContextUpdate, PlanRequest, TaskRequest } from '../definition/plan.ts';
import type { DialectName, PluginLimits, PluginSpec, RemoteSpec } from '../definition/plugin-spec.ts';
import type { LogEntry, Tool } from '../definition/tool.ts';
import type { Access } from './access.ts';

export interface HostDialect {
  readonly name: DialectName;
  readonly traits: DialectTraits;
  /**
   * Says hello over a fresh pipe. The signal in `services` gives it up. When it rejects, the pipe is closed.
   * @throws PluglotError START_FAILED, PROTOCOL_VIOLATION, UNSUPPORTED_PROTOCOL, REQUIREMENT_MISSING or PIPE_ENDED, in words that
   * name the plugin; the reason of the signal, where that is a PluglotError
   */
  connect(pipe: Pipe, spec: PluginSpec, services: HostServices): Promise<HostEnd>;
  /** For plugins that are reached, not started. @throws as `connect`, and UNAUTHENTICATED when they do not let us in */
  reach?(remote: RemoteSpec, spec: PluginSpec, services: HostServices): Promise<HostEnd>;
}

/** What holds in a dialect unless a spec says otherwise. */
export interface DialectTraits {
  readonly limits: Required<PluginLimits>;
  /** How many calls a process takes at once. */
  readonly concurrency: number;
  /** A call that is over its time ends the process, as G-Assist demands it. Elsewhere it is given up like a cancelled one. */
  readonly timeoutKills: boolean;
  /**
   * A plugin may have tools that it does not list, so that any name can be called.
   * @default false
   */
  readonly unlistedTools?: boolean;
  /**
   * A plugin is told the `config` of its spec when it starts.
   * @default false
   */
  readonly takesConfig?: boolean;
  /**
   * What the params of a message say of the request that they are about: `id:…` where they name it, else a key of their own that other
   * messages about it have too. For people who look at the wire.
   * @default they say nothing of it
   */
  readonly keysIn?: (params: unknown) => readonly string[];
}

/** What a host end is handed, and what a plugin may ask of the host. */
export interface HostServices {
  readonly clock: Clock;
  /** Fires when the start is given up. */
  readonly signal: AbortSignal;
  /** What the plugin logs and no call is known for; what belongs to a call is an event of it. */
  log(entry: LogEntry): void;
  /** What this host did, for the log of the plugin. Absent: nobody keeps it. */
  note?(entry: LogEntry): void;
  /** What came and was survived: noise, oversize, nonsense. */
  trouble(trouble: PeerTrouble): void;
  /** The plugin has other tools now. */
  toolsChanged(tools: readonly Tool[]): void;
  /** Whether a program is in the PATH of the plugin. */
  hasCommand(command: string): boolean;
  /**
   * Work that a planner asks its host for. Absent where the host has no executor: then it is refused. The `data` of the answers is a
   * TaskResult and a CodeVerdict, as JSON.
   */
  readonly executeTask?: (request: TaskRequest, sink: CallSink) => RunningCall;
  readonly validateCode?: (request: CodeRequest, sink: CallSink) => RunningCall;
  /** Sees every message on the wire; absent when nobody looks. */
  readonly observer?: Observer;
  /** For servers that want to know who asks; absent where that cannot be told. */
  readonly access?: Access;
  /** Told what nobody may see from now on, such as a token that a server gave. */
  readonly learn?: (secrets: readonly string[]) => void;
  /** Whoever makes calls here may be asked something by plugins: they are told so, and their questions go there (`asker` of a call). */
  readonly relaysQuestions?: boolean;
  /** Other things than tools have changed. Absent: nobody wants to know. */
  readonly news?: (news: ServerNews) => void;
  /** A person has to do something first: until the returned function is called, the limit of the start does not run. */
  readonly personDecides?: () => () => void;
}

/** What a server with resources or prompts says of them by itself. */
export type ServerNews =
  | { readonly kind: 'resources-changed' | 'prompts-changed' }
  | { readonly kind: 'resource-updated'; readonly uri: string };

/** One living connection to a plugin that has introduced itself. */
export interface HostEnd {
  readonly manifest: Manifest;
  /** It answered, but nothing that it said tells its dialect: that was taken on trust. */
  readonly isAssumed?: boolean;
  /**
   * Starts a call; it is on its way when this returns. Arguments are valid by then. A call that cannot be sent ends at once with the reason.
   * Time limits are the caller's: a call goes on here until it is answered, cancelled, or the pipe ends (PIPE_ENDED).
   */
  call(request: CallRequest, sink: CallSink): WireCall;
  /** Asks for a sign of life, within the limit; rejects when none came. Absent where the dialect has no such question. */
  ping?(limitMs: number): Promise<void>;
  /** What the plugin says of its health; absent where the dialect has no such question. */
  health?(limitMs: number): Promise<Health>;
  readonly talk?: TalkFacet;
  readonly extractor?: ExtractorFacet;
  readonly planner?: PlannerFacet;
  readonly executor?: ExecutorFacet;
  /** Tells it what has changed around its work; absent where the dialect has no word for that. */
  updateContext?(update: ContextUpdate, sink: CallSink): WireCall;
  readonly resources?: ResourcesFacet;
  readonly prompts?: PromptsFacet;
  /** Says goodbye in the words of the dialect; resolves when the plugin may be ended. Never rejects. */
  shutdown(limitMs: number): Promise<void>;
  /** Fails what is under way, and all later calls, with PEER_CLOSED; closes the pipe. A second time it does nothing. */
  close(): void;
  /** Resolves when nothing more can come, with the reason. */
  readonly ended: Promise<Ending>;
}

export interface WireCall {
  /**
   * Gives the call up. `free`: the plugin was told and takes other calls. `occupied`: it cannot be told; `end` is still called when it has finished.
   */
  cancel(reason: string): 'free' | 'occupied';
}

/** The user speaks, the plugin answers: one input at a time, until an answer comes without keepSession. */
export interface TalkFacet {
  /** `timeoutMs` as that of a call. */
  input(content: string, sink: CallSink, timeoutMs?: number): WireCall;
}

export interface ExtractorFacet {
  supports(what: FileType, limitMs: number): Promise<Support>;
  extract(
    source: ExtractSource,
    options: Readonly<Record<string, Json>>,
    sink: CallSink,
    type?: FileType,
  ): WireCall;
}

/** The `data` of its answer is a Plan, as JSON. */
export interface PlannerFacet {
  createPlan(request: PlanRequest, sink: CallSink): WireCall;
}

/** The `data` of its answers is a TaskResult and a CodeVerdict, as JSON. */
export interface ExecutorFacet {
  executeTask(request: TaskRequest, sink: CallSink): WireCall;
  validateCode(request: CodeRequest, sink: CallSink): WireCall;
  /** Several questions in one message; absent where the executor has not said that it takes them. */
  batch?(questions: readonly ExecutorQuestion[]): readonly WireCall[];
}

export type ExecutorQuestion =
  | { readonly kind: 'task'; readonly request: TaskRequest; readonly sink: CallSink }
  | { readonly kind: 'code'; readonly request: CodeRequest; readonly sink: CallSink };

export interface ResourcesFacet {
  list(): Promise<Json>;
  read(uri: string): Promise<Json>;
  /** News of this one come from then on; absent where the server has none. */
  subscribe?(uri: string): Promise<void>;
  unsubscribe?(uri: string): Promise<void>;
  /** What may stand for a part of a template; absent where nobody knows. */
  complete?(params: Readonly<Record<string, Json>>): Promise<Json>;
}

export interface PromptsFacet {
  list(): Promise<Json>;
  get(name: string, args: Readonly<Record<string, string>>): Promise<Json>;
  /** What may stand for an argument; absent where nobody knows. */
  complete?(params: Readonly<Record<string, Json>>): Promise<Json>;
}
