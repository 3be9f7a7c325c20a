// The interface of a running host: the same in this process and over HTTP.
import type { JsonObject } from '../base/json.ts';
import type { Caller } from '../definition/caller.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import type { Call, CallOptions } from '../definition/call.ts';
import type { KeptRecord } from '../fleet/plugin/logs/log-book.ts';
import type { Talk } from '../fleet/plugin/talk.ts';
import type { TrafficEntry } from '../fleet/recording/traffic.ts';
import type { Approval, Question } from '../gate/approval/approver.ts';
import type { AuditEvent } from '../gate/audit/audit.ts';
import type { AuditRecord } from '../gate/audit/read-audit.ts';
import type { AuditVerdict } from '../gate/audit/verify-audit.ts';
import type { ExplanationView, RecordingView } from './api-call-values.ts';
import type { CommandView, HealthView, PluginDetails, PluginView, ToolView } from './api-plugin-values.ts';
import type { NewToken, TokenRequest, TokenView } from './tokens/tokens.ts';

/** Questions reject with a PluglotError; calls and conversations never do. */
export interface RuntimeApi {
  health(): Promise<HealthView>;
  plugins(options?: PluginsOptions): Promise<PluginList>;
  /** @throws PluglotError UNKNOWN_PLUGIN, or why it cannot be asked */
  plugin(name: string, options?: AskOptions): Promise<PluginDetails>;
  /** Starts and exposes it. @throws PluglotError UNKNOWN_PLUGIN, NOT_TRUSTED, or why it does not start */
  start(name: string): Promise<PluginView>;
  stop(name: string): Promise<PluginView>;
  restart(name: string): Promise<PluginView>;
  /** Its log, the oldest entry first; with `follow` until the signal fires. */
  logs(name: string, options?: LogsOptions): AsyncIterable<KeptRecord>;
  tools(options?: AskOptions & OfferOptions): Promise<readonly ToolView[]>;
  /**
   * By `plugin__tool`, or by its own name where no other plugin has such a tool; also one that its plugin does not list. Waits for
   * plugins that are starting.
   * @throws PluglotError UNKNOWN_TOOL with suggestions, or why its plugin cannot be asked
   */
  tool(name: string, options?: OfferOptions): Promise<ToolView>;
  /** Calls a tool through the gate. Waits for plugins that are starting where the name is not known yet. */
  call(tool: string, args?: JsonObject, options?: ToolCallOptions): ApiCall;
  /**
   * What the rules would decide on a call of a tool or a command. No question is asked and nothing is called.
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
  run(command: string, args?: JsonObject, options?: ApiCallOptions): ApiCall;
  /** A conversation that begins with a call of a tool that keeps the session. */
  talk(tool: string, args?: JsonObject, options?: ApiCallOptions): Talk;
  readonly approvals: {
    pending(): Promise<readonly Question[]>;
    /** Whether the question was waiting. */
    answer(id: string, approval: Approval): Promise<boolean>;
    /** Listens to new and settled questions; the returned function ends that. */
    onChanged(listener: (pending: readonly Question[]) => void): () => void;
  };
  readonly traffic: {
    /** Entries that are still kept, oldest first; none where traffic is not kept. */
    since(seq: number, filter?: TrafficFilter): Promise<TrafficPage>;
    onEntry(listener: (entry: TrafficEntry) => void): () => void;
    /** The entries of one plugin as a cassette. @throws PluglotError UNKNOWN_PLUGIN */
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
  /** Bearer tokens of clients, and browsers of the console. For the user alone. */
  readonly tokens: {
    list(): Promise<readonly TokenView[]>;
    /** @throws PluglotError INVALID_ARGUMENTS when the name is invalid or taken */
    create(token: TokenRequest): Promise<NewToken>;
    /** Whether there was one. Its connections end at once. */
    revoke(name: string): Promise<boolean>;
  };
  /** Lets one browser into the console. For the user alone. @throws PluglotError UNSUPPORTED where there is no console */
  consoleLink(): Promise<ConsoleLink>;
  /** Listens to all events but traffic; the returned function ends that. */
  onEvent(listener: (event: RuntimeEvent) => void): () => void;
  /** Ends what was begun here. A host that is reached over HTTP goes on. After an abort of the signal nothing is waited for long. */
  close(signal?: AbortSignal): Promise<void>;
}

/** What the name of a call means. */
export interface CallTarget {
  /** `plugin__tool`. */
  readonly name: string;
  readonly plugin: string;
}

export interface ApiCall extends Call {
  /** Resolves when the name is known, with undefined when the call ends before. Left out where it was known at once. */
  readonly target?: Promise<CallTarget | undefined>;
}

export interface ConsoleLink {
  /** To be opened once. */
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface ApiCallOptions extends Omit<CallOptions, 'caller'> {
  /** @default the owner: the user of the command line, or the program that embeds the host */
  readonly caller?: Caller;
}

export interface ToolCallOptions extends ApiCallOptions {
  /** Further arguments as texts; the tool's schema decides which of them are strings and which are JSON. */
  readonly pairs?: Readonly<Record<string, string>>;
  /** Gets what the plugin logs until the call ends, from `since` on, in milliseconds since 1970. */
  readonly logs?: { readonly since: number; readonly onEntry: (entry: KeptRecord) => void };
}

export interface PluginsOptions {
  /** The configuration is read again first, and followed. @default false */
  readonly fresh?: boolean;
}

export interface AskOptions {
  /** Plugins that have not been asked yet are started for it, and awaited. @default false */
  readonly ask?: boolean;
}

export interface OfferOptions {
  /** Only what this caller is offered. Over HTTP the host knows the caller. @default the owner, who is offered everything */
  readonly caller?: Caller;
}

export interface LogsOptions {
  /** In milliseconds since 1970. */
  readonly since?: number;
  /** Only entries after the one of this number. */
  readonly after?: number;
  /** @default false */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

export interface PluginList {
  readonly plugins: readonly PluginView[];
  readonly problems: readonly Problem[];
}

interface ExplainOptions {
  /** @default a client */
  readonly caller?: Caller;
}

export interface TrafficFilter {
  readonly plugin?: string;
  /** The id of a call, as in its outcome, the audit and logs. */
  readonly call?: string;
  /** The id of a trace. */
  readonly trace?: string;
  /** The first so many. @default 1000 */
  readonly limit?: number;
}

export interface TrafficPage {
  readonly entries: readonly TrafficEntry[];
  /** The number of the last entry, also of those that do not match. */
  readonly last: number;
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
  /** Whether the log is as it was written is checked too, which reads all of it. @default false */
  readonly verify?: boolean;
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  readonly verified?: AuditVerdict;
}

export type RuntimeEvent =
  | { readonly kind: 'plugin'; readonly plugin: PluginView }
  | { readonly kind: 'plugin-removed'; readonly name: string }
  /** Tools or commands have changed. */
  | { readonly kind: 'tools' }
  | { readonly kind: 'approvals'; readonly pending: readonly Question[] }
  | { readonly kind: 'log'; readonly plugin: string; readonly entry: KeptRecord }
  | { readonly kind: 'audit'; readonly at: string; readonly event: AuditEvent }
  /** So many events were lost, since the listener is too slow; undefined after a lost connection. */
  | { readonly kind: 'dropped'; readonly count?: number };
