// A running host as others see it: the same whether it lives in this process or is reached over HTTP.
import type { JsonObject } from '../base/json.ts';
import type { CommandProfile } from '../definition/backend.ts';
import type { Caller } from '../definition/caller.ts';
import type { Health, Manifest } from '../definition/manifest.ts';
import type { Tool } from '../definition/tool.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import type { Call, CallOptions } from '../fleet/plugin/call.ts';
import type { KeptRecord } from '../fleet/plugin/logs/log-book.ts';
import type { Talk } from '../fleet/plugin/talk.ts';
import type { TrafficEntry } from '../fleet/recording/traffic.ts';
import type { PluginOrigin } from '../fleet/registry/resolved.ts';
import type { Approval, Question } from '../gate/approval/approver.ts';
import type { AuditEvent } from '../gate/audit/audit.ts';
import type { AuditRecord } from '../gate/audit/read-audit.ts';
import type { AuditVerdict } from '../gate/audit/verify-audit.ts';
import type { DecidingRule } from '../gate/policy/policy.ts';
import type { NewToken, TokenRequest, TokenView } from './tokens/tokens.ts';

/** What is asked rejects with a PluglotError; calls and conversations never do. */
export interface RuntimeApi {
  health(): Promise<HealthView>;
  plugins(options?: PluginsOptions): Promise<PluginList>;
  /** @throws PluglotError UNKNOWN_PLUGIN, or why it cannot be asked */
  plugin(name: string, options?: AskOptions): Promise<PluginDetails>;
  /** Exposes it where it was not. @throws PluglotError UNKNOWN_PLUGIN, NOT_TRUSTED, or why it does not start */
  start(name: string): Promise<PluginView>;
  stop(name: string): Promise<PluginView>;
  restart(name: string): Promise<PluginView>;
  /** What it said and what happened to it, the oldest first; with `follow` all until the signal fires. */
  logs(name: string, options?: LogsOptions): AsyncIterable<KeptRecord>;
  tools(options?: AskOptions & OfferOptions): Promise<readonly ToolView[]>;
  /**
   * As `plugin__tool`, or by its own name where no other plugin has such a one; also one that is not listed, where the dialect has no list. Who was not asked yet is.
   * @throws PluglotError UNKNOWN_TOOL with what may have been meant, or why its plugin cannot be asked
   */
  tool(name: string, options?: OfferOptions): Promise<ToolView>;
  /** A tool, through the gate. */
  call(tool: string, args?: JsonObject, options?: ApiCallOptions): Call;
  /**
   * What the rules would decide on a call of a tool or a command, without asking anybody and without calling.
   * @throws PluglotError UNKNOWN_TOOL, or why its plugin cannot be asked
   */
  explain(name: string, args?: JsonObject, options?: ExplainOptions): Promise<ExplanationView>;
  commands(options?: AskOptions & OfferOptions): Promise<readonly CommandView[]>;
  /** @throws PluglotError as for a tool */
  command(name: string, options?: OfferOptions): Promise<CommandView>;
  complete(
    command: string,
    parameter: string,
    typed: string,
    options?: OfferOptions,
  ): Promise<readonly string[]>;
  run(command: string, args?: JsonObject, options?: ApiCallOptions): Call;
  /** A conversation that begins with a call of a tool that keeps the session. */
  talk(tool: string, args?: JsonObject, options?: ApiCallOptions): Talk;
  readonly approvals: {
    pending(): Promise<readonly Question[]>;
    /** Whether somebody waited for it. */
    answer(id: string, approval: Approval): Promise<boolean>;
    /** Hears when a question came or is over; the returned function ends that. */
    onChanged(listener: (pending: readonly Question[]) => void): () => void;
  };
  readonly traffic: {
    /** Those that are still kept, oldest first; none where nobody looks at the wires. */
    since(seq: number, filter?: TrafficFilter): Promise<TrafficPage>;
    onEntry(listener: (entry: TrafficEntry) => void): () => void;
    /** What is kept of one plugin, as a cassette. @throws PluglotError UNKNOWN_PLUGIN */
    cassette(plugin: string): Promise<string>;
  };
  readonly recordings: {
    list(): Promise<readonly RecordingView[]>;
    /** @throws PluglotError UNKNOWN_PLUGIN, UNSUPPORTED, CONFIG_INVALID */
    start(plugin: string, file?: string): Promise<RecordingView>;
    /** Resolves when it is on the disk. @throws PluglotError NOT_FOUND */
    stop(id: string): Promise<RecordingView>;
  };
  audit(filter?: ApiAuditFilter): Promise<AuditPage>;
  /** Bearer tokens of clients, and browsers that were let into the console. For the user alone. */
  readonly tokens: {
    list(): Promise<readonly TokenView[]>;
    /** @throws PluglotError INVALID_ARGUMENTS when the name is no name or taken */
    create(token: TokenRequest): Promise<NewToken>;
    /** Whether there was one. What goes on for it ends at once. */
    revoke(name: string): Promise<boolean>;
  };
  /** Lets one browser into the console. For the user alone. @throws PluglotError UNSUPPORTED where there is no console */
  consoleLink(): Promise<ConsoleLink>;
  /** Hears of all that happens from now on, but for the traffic; the returned function ends that. */
  onEvent(listener: (event: RuntimeEvent) => void): () => void;
  /** Ends what was begun here. The host itself stays its owner's. */
  close(): Promise<void>;
}

export interface ConsoleLink {
  /** To be opened once. */
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface ApiCallOptions extends Omit<CallOptions, 'caller'> {
  /** @default the owner: whoever types the command, or the program that embeds the host */
  readonly caller?: Caller;
}

export interface PluginsOptions {
  /** What is configured is read again first, and followed. @default false */
  readonly fresh?: boolean;
}

export interface AskOptions {
  /** Those that have not introduced themselves yet are started for it, and awaited. @default false */
  readonly ask?: boolean;
}

export interface OfferOptions {
  /** Only what this one is offered. One that is reached over HTTP knows itself who asks. @default the owner, who is offered everything */
  readonly caller?: Caller;
}

export interface LogsOptions {
  /** Older ones are left out, in milliseconds since 1970. */
  readonly since?: number;
  /** Only those behind the one of this number. */
  readonly after?: number;
  /** @default false */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

export interface HealthView {
  /** `degraded`: a plugin that should work does not. */
  readonly status: 'ok' | 'degraded';
  readonly version: string;
  readonly uptimeMs: number;
  readonly plugins: { readonly ready: number; readonly total: number };
  /** Where its page is; left out where there is none. */
  readonly console?: string;
  /** What confined programs run in on this machine. */
  readonly sandbox: SandboxView;
}

export interface SandboxView {
  /** Left out where there is none. */
  readonly kind?: 'bubblewrap' | 'sandbox-exec';
  /** Why there is none, and how to change that. */
  readonly missing?: string;
  /** Which limits hold here. */
  readonly limits: { readonly memory: boolean; readonly processes: boolean };
}

export interface PluginList {
  readonly plugins: readonly PluginView[];
  readonly problems: readonly Problem[];
}

export interface PluginView {
  readonly name: string;
  readonly origin: PluginOrigin;
  /** `in-process`: it runs in the host and speaks none. `unknown`: it was not asked yet. */
  readonly dialect: string;
  /** As the fleet has it; `disabled` where the configuration says so. */
  readonly state: string;
  /** Since it is in this state. */
  readonly sinceMs: number;
  /** Why it is in this state, where that has a reason. */
  readonly reason?: string;
  readonly restarts: number;
  readonly pids: readonly number[];
  /** How many; undefined until it was asked. */
  readonly tools?: number;
  /** Whether its tools may begin conversations; undefined until it was asked. */
  readonly talks?: boolean;
  /** Somebody is in a conversation with its process: others wait for its end. */
  readonly talking?: boolean;
  /** It is started when it is first used. */
  readonly lazy?: boolean;
  /** It is confined; left out where it is not. */
  readonly sandbox?: {
    readonly network: boolean;
    /** What it sees beside its own. */
    readonly folders: Readonly<Record<string, 'read-only' | 'writable'>>;
  };
  /** How it is started, without secrets. */
  readonly command: string;
  /** The file that says so. */
  readonly from?: string;
  /** What is configured for it now that it does not follow yet, and the way out. */
  readonly changed?: string;
  /** Why it may not be started yet. */
  readonly untrusted?: { readonly reason: string; readonly wayOut: string };
  readonly stats: PluginStats;
}

export interface PluginStats {
  /** Since the host was started. */
  readonly calls: number;
  readonly failures: number;
  readonly running: number;
  readonly waiting: number;
  /** Of the last minutes; 0 where there were no calls. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Calls in each of the last 60 seconds, the oldest first. */
  readonly perSecond: readonly number[];
}

export interface PluginDetails extends Omit<PluginView, 'tools'> {
  readonly version?: string;
  readonly description?: string;
  /** As it introduced itself, without secrets; undefined until it was asked. */
  readonly manifest?: ShownManifest;
  readonly tools: readonly ToolView[];
  readonly commands: readonly CommandView[];
  readonly instructions?: string;
  readonly health: Health;
}

/** Also that of a plugin which runs in the host and speaks no dialect. */
export type ShownManifest = Omit<Manifest, 'dialect'> & {
  readonly dialect: Manifest['dialect'] | 'in-process';
};

export interface ToolView {
  /** `plugin__tool`. */
  readonly name: string;
  readonly plugin: string;
  /** As the plugin declares it, under its own name. */
  readonly tool: Tool;
  readonly enabled: boolean;
  /** Whether clients with a token or over MCP are offered it. */
  readonly clients: boolean;
  /** Calls by others than its user wait until somebody approves it: it is new since its plugin was approved, or defined otherwise. */
  readonly held?: 'new' | 'changed';
}

interface ExplainOptions {
  /** @default a client */
  readonly caller?: Caller;
}

export interface ExplanationView {
  readonly name: string;
  readonly kind: 'tool' | 'command';
  readonly plugin: string;
  readonly caller: Caller;
  readonly decision: 'allow' | 'deny' | 'ask';
  /** How it came about, as in the audit log. */
  readonly method: string;
  readonly reason: string;
  /** Those that decided it, and where they are written; none where no rule did. */
  readonly rules: readonly DecidingRule[];
  /** What would allow it. */
  readonly fix?: string;
  /** How its definition differs from the one that was approved. */
  readonly difference?: string;
}

export interface CommandView {
  readonly name: string;
  readonly plugin: string;
  readonly command: CommandProfile;
  /** Whether clients with a token or over MCP are offered it. */
  readonly clients: boolean;
}

export interface TrafficFilter {
  readonly plugin?: string;
  /** By the id of a call, as its outcome, the audit and logs have it. */
  readonly call?: string;
  /** By the id of a trace. */
  readonly trace?: string;
  /** The first so many. @default 1000 */
  readonly limit?: number;
}

export interface TrafficPage {
  readonly entries: readonly TrafficEntry[];
  /** The number of the last entry there was, also of those that do not fit. */
  readonly last: number;
}

export interface RecordingView {
  readonly id: string;
  readonly plugin: string;
  readonly file: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly messages: number;
  /** False: the process that runs now is not heard; what is started after it is. */
  readonly isLive: boolean;
}

export interface ApiAuditFilter {
  readonly tool?: string;
  readonly plugin?: string;
  /** The kind of a caller, its name, or that of its token or profile. */
  readonly caller?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly denied?: boolean;
  /** The last so many. @default 200 */
  readonly limit?: number;
  /** Whether the log is as it was written is looked at too, which reads all of it. @default false */
  readonly verify?: boolean;
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  readonly verified?: AuditVerdict;
}

export type RuntimeEvent =
  /** As it is now. */
  | { readonly kind: 'plugin'; readonly plugin: PluginView }
  | { readonly kind: 'plugin-removed'; readonly name: string }
  /** Tools or commands are others now. */
  | { readonly kind: 'tools' }
  | { readonly kind: 'approvals'; readonly pending: readonly Question[] }
  | { readonly kind: 'log'; readonly plugin: string; readonly entry: KeptRecord }
  | { readonly kind: 'audit'; readonly at: string; readonly event: AuditEvent }
  /** So many could not be told, since who listens is too slow; undefined: it was away, and nobody knows. */
  | { readonly kind: 'dropped'; readonly count?: number };
