// A fleet as commands see it: one of their own, or that of a running `pluglot up`.
import type { JsonObject } from '../../../base/json.ts';
import type { CommandProfile } from '../../../definition/backend.ts';
import type { Health, Manifest } from '../../../definition/manifest.ts';
import type { CallEvent, CallerContext, Outcome } from '../../../definition/outcome.ts';
import type { Tool } from '../../../definition/tool.ts';
import type { Problem as DiscoveryProblem } from '../../../fleet/discovery/problem.ts';
import type { LogRecord } from '../../../fleet/plugin/logs/log-book.ts';

export interface Host {
  plugins(options?: Shown): Promise<readonly PluginView[]>;
  /** What of the files could not be used, or maybe not as meant. */
  problems(): Promise<readonly DiscoveryProblem[]>;
  /** All tools; starts what has to be asked for them, unless only the known ones are wanted. What could not be asked is told. */
  tools(options?: ToolsOptions): Promise<Tools>;
  /** @throws PluglotError UNKNOWN_TOOL, or why its plugin cannot be asked */
  findTool(name: string): Promise<ToolView>;
  /** What users may call without a model; loads what has to be asked for it. */
  commands(options?: Shown): Promise<Commands>;
  /** @throws PluglotError UNKNOWN_TOOL, or why its plugin cannot be asked */
  findCommand(name: string): Promise<CommandView>;
  /** What may stand for a parameter of which so much is typed. */
  complete(command: string, parameter: string, typed: string): Promise<readonly string[]>;
  run(request: HostRun, onEvent: (event: CallEvent) => void, signal: AbortSignal): Promise<Outcome>;
  /** Starts the plugin if need be. */
  inspect(plugin: string): Promise<Inspection>;
  call(request: HostCall, onEvent: (event: CallEvent) => void, signal: AbortSignal): Promise<Outcome>;
  /** A conversation that begins with a call; what that call says and how it ends goes to the listener. */
  talk(request: HostCall, onEvent: (event: CallEvent) => void, signal: AbortSignal): Promise<HostTalk>;
  /** What the plugin said and did, oldest first; with `follow` until the signal fires. */
  logs(plugin: string, options: LogOptions, onEntry: (entry: LogRecord) => void): Promise<void>;
  start(plugin: string): Promise<PluginView>;
  stop(plugin: string): Promise<PluginView>;
  restart(plugin: string): Promise<PluginView>;
  /** What takes too long after the user has interrupted is cut short. */
  close(signal?: AbortSignal): Promise<void>;
}

export interface Shown {
  /** The built-in ones too. @default false */
  readonly all?: boolean;
}

interface ToolsOptions extends Shown {
  /** @default true */
  readonly ask?: boolean;
}

interface Tools {
  readonly tools: readonly ToolView[];
  readonly problems: readonly Problem[];
}

interface Commands {
  readonly commands: readonly CommandView[];
  readonly problems: readonly Problem[];
}

export interface HostCall {
  readonly plugin: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly timeoutMs?: number;
  readonly context?: CallerContext;
}

export interface HostRun {
  readonly command: string;
  readonly args: JsonObject;
  readonly timeoutMs?: number;
  readonly context?: CallerContext;
}

export interface HostTalk {
  /** How the call that began it ended. */
  readonly first: Outcome;
  say(content: string, onEvent: (event: CallEvent) => void, signal: AbortSignal): Promise<Outcome>;
  /** The way out that always works. */
  end(): Promise<void>;
}

interface LogOptions {
  readonly follow: boolean;
  /** Older entries are left out. In milliseconds since 1970. */
  readonly since?: number;
  readonly signal: AbortSignal;
}

export interface PluginView {
  readonly name: string;
  /** `in-process`: it runs in the host itself and speaks none. */
  readonly dialect: string;
  readonly state: string;
  /** Milliseconds since it is in this state. */
  readonly sinceMs: number;
  readonly reason?: string;
  readonly restarts: number;
  readonly pids: readonly number[];
  /** Undefined until it was asked. */
  readonly tools?: number;
  /** How it is started. */
  readonly command: string;
  /** The file that says so. */
  readonly origin?: string;
  /** What the files say of it now that it does not follow yet, and the way out. */
  readonly changed?: string;
  /** Why it may not be started yet, and the way out. */
  readonly untrusted?: { readonly reason: string; readonly wayOut: string };
}

export interface ToolView {
  readonly plugin: string;
  /** As a user calls it: bare when no other plugin has it. */
  readonly name: string;
  readonly tool: Tool;
}

/** What a user may call without a model. */
export interface CommandView {
  readonly plugin: string;
  /** As a user calls it: bare when no other plugin has it. */
  readonly name: string;
  readonly command: CommandProfile;
}

export interface Inspection {
  readonly plugin: PluginView;
  readonly manifest: ShownManifest;
  readonly health?: Health;
  /** Where it has any. */
  readonly commands?: readonly CommandProfile[];
}

/** Also that of a plugin which runs in the host and speaks no dialect. */
export type ShownManifest = Omit<Manifest, 'dialect'> & {
  readonly dialect: Manifest['dialect'] | 'in-process';
};

export interface Problem {
  readonly who: string;
  readonly message: string;
  readonly code?: string;
}
