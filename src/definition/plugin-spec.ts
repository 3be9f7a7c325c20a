// What configuration says of a plugin: how to start it, and what holds for it.
import type { Json, JsonObject } from '../base/json.ts';

export const dialectNames = ['gassist', 'gevals', 'mcp', 'planner', 'yams'] as const;

export type DialectName = (typeof dialectNames)[number];

export interface PluginSpec {
  /** As the user knows it. */
  readonly name: string;
  /** Undefined: found out by asking. */
  readonly dialect?: DialectName;
  readonly start: ProgramSpec | RemoteSpec;
  /** What the plugin is told at start-up, in the words of its dialect. */
  readonly config?: JsonObject;
  /** A manifest found on disk, as its dialect writes it. It knows more than the handshake (G-Assist) or wins over it (YAMS). */
  readonly manifest?: JsonObject;
  /** RPC methods of a YAMS plugin that its manifest does not name. */
  readonly methods?: readonly string[];
  readonly limits?: PluginLimits;
  /**
   * How many calls one process gets at once.
   * @default what the dialect says
   */
  readonly concurrency?: number;
  /**
   * How many processes share the calls.
   * @default 1
   */
  readonly instances?: number;
  /**
   * How many calls may wait.
   * @default 1024
   */
  readonly queueLimit?: number;
  /**
   * `lenient`: a ping that is missed while a call runs is no miss. `strict`: it is one. `off`: only the exit and the stopped state count.
   * @default 'lenient'
   */
  readonly liveness?: 'lenient' | 'strict' | 'off';
  /** Started by the first call instead of at once. */
  readonly lazy?: boolean;
  /** Stopped after so long without a call; undefined: never. */
  readonly idleStopMs?: number;
  readonly restart?: RestartSpec;
  /**
   * Whether its processes are confined, and what they see then.
   * @default false
   */
  readonly sandbox?: SandboxSpec | boolean;
  /** Whether clients with a token or over MCP are offered it. @default true */
  readonly clients?: boolean;
  /** Values in it that nobody may see, such as those of variables that were put in. */
  readonly secrets?: readonly string[];
  /** Free for whoever made the spec, such as where it was found. */
  readonly notes?: Json;
}

/** What a confined plugin sees beside the system, its own folder, its data and the folder that it works in, which is read-only. */
export interface SandboxSpec {
  /** By their paths. The files in them that configure git and pluglot are never writable. */
  readonly folders?: Readonly<Record<string, 'read-only' | 'writable'>>;
  /** That of the host, its own servers included. @default false */
  readonly network?: boolean;
  /** @default 4096 */
  readonly memoryMiB?: number;
  /** Threads count, too. @default 512 */
  readonly processes?: number;
}

/** A program that speaks over its stdio. */
export interface ProgramSpec {
  readonly kind: 'program';
  readonly command: string;
  readonly args?: readonly string[];
  /** @default the folder of the plugin, else that of the host */
  readonly cwd?: string;
  /** Added to the small environment every plugin gets; `${VAR}`, `${env:VAR}` and `${plugin_dir}` are replaced. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where the plugin was found: `${plugin_dir}`. */
  readonly folder?: string;
  /** The words for people, where variables were replaced in them: with their names instead of their values. */
  readonly shown?: readonly string[];
}

/** A server that is reached, not started. */
export interface RemoteSpec {
  readonly kind: 'http';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For a server that wants to know who asks; most need none of it. */
  readonly oauth?: OAuthSettings;
  /** The address for people, where variables were replaced in it: with their names instead of their values. */
  readonly shown?: string;
}

/** How a server is told who asks, where that has to be known before. */
export interface OAuthSettings {
  /** @default pluglot registers itself */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** What to ask for, in words with spaces between. @default what the server says */
  readonly scope?: string;
  /** The authorisation server that it has to be. @default the one that the server names */
  readonly issuer?: string;
  /** Where the answer of the browser is awaited on this machine. @default a free one */
  readonly callbackPort?: number;
}

/** In milliseconds. What is not set comes from the dialect. */
export interface PluginLimits {
  /** From the moment of the start until the plugin has introduced itself. */
  readonly startMs?: number;
  readonly callMs?: number;
  /** Between two looks at an idle plugin; 0: none. */
  readonly pingEveryMs?: number;
  readonly pingMs?: number;
  readonly ackMs?: number;
  readonly talkMs?: number;
  readonly healthMs?: number;
  /** For an answer to the goodbye of the dialect, then for the exit. */
  readonly shutdownMs?: number;
  /** From SIGTERM to SIGKILL. */
  readonly termMs?: number;
  /** How long a process may go on with a call that was given up, before it is ended. */
  readonly cancelMs?: number;
  /** The largest message taken from the plugin, in bytes. */
  readonly messageBytes?: number;
}

export interface RestartSpec {
  /** @default 5 */
  readonly max?: number;
  /** The restarts within this time count. @default 180,000 */
  readonly withinMs?: number;
  /** @default 200 */
  readonly firstDelayMs?: number;
  /** @default 30,000 */
  readonly maxDelayMs?: number;
  /** After so long without a failure all is forgotten. @default 60,000 */
  readonly stableMs?: number;
}
