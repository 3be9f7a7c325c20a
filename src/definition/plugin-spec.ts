// The configuration of a plugin: how to start it, and its settings.
import type { Json, JsonObject } from '../base/json.ts';
import { didYouMean } from '../base/names.ts';

export const dialectNames = ['gassist', 'gevals', 'mcp', 'planner', 'yams'] as const;

export type DialectName = (typeof dialectNames)[number];

export interface PluginSpec {
  /** As the user knows it. */
  readonly name: string;
  /** @default detected automatically */
  readonly dialect?: DialectName;
  readonly start: ProgramSpec | RemoteSpec;
  /** Configuration that is sent to the plugin at start-up, as its dialect defines it. */
  readonly config?: JsonObject;
  /** A manifest found on disk, as its dialect writes it. It knows more than the handshake (G-Assist) or wins over it (YAMS). */
  readonly manifest?: JsonObject;
  /** RPC methods of a YAMS plugin that its manifest does not name. */
  readonly methods?: readonly string[];
  readonly limits?: PluginLimits;
  /**
   * How many calls one process gets at once.
   * @default that of the dialect
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
   * `lenient`: a ping that is missed while a call runs does not count. `strict`: it counts. `off`: only the exit and the stopped state count.
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
  /** Secret values in the spec, such as those of inserted variables. */
  readonly secrets?: readonly string[];
  /** For the maker of the spec, such as where it was found. */
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
  /** For a server that requires authentication. */
  readonly oauth?: OAuthSettings;
  /** The address for people, where variables were replaced in it: with their names instead of their values. */
  readonly shown?: string;
}

/** How to authenticate to a server, where it has to be configured. */
export interface OAuthSettings {
  /** @default pluglot registers itself */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** What to ask for, in words with spaces between. @default the scope that the server names */
  readonly scope?: string;
  /** The authorisation server that it has to be. @default the one that the server names */
  readonly issuer?: string;
  /** Where the answer of the browser is awaited on this machine. @default a free one */
  readonly callbackPort?: number;
}

/** In milliseconds. What is not set comes from the dialect. */
export interface PluginLimits {
  /** From the start until the end of the handshake. */
  readonly startMs?: number;
  readonly callMs?: number;
  /** Between two looks at an idle plugin; 0: none. */
  readonly pingEveryMs?: number;
  readonly pingMs?: number;
  readonly ackMs?: number;
  readonly talkMs?: number;
  readonly healthMs?: number;
  /** For the answer to the shutdown of the dialect, then for the exit. */
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

/** The same as in schemas/pluglot.schema.json. Tools are called `plugin__tool`, so where the plugin ends must be clear. */
const allowed = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]|_(?!_|$)){0,63}$/u;

export function isPluginName(name: string): boolean {
  return allowed.test(name);
}

/** What is expected, for messages. */
export const PLUGIN_NAME =
  'up to 64 letters, digits, dots, dashes and underscores, a letter or digit first, without "__" and without "_" at the end, which divide plugin__tool';

export function fullName(plugin: string, own: string): string {
  return `${plugin}${BETWEEN}${own}`;
}

interface SplitName {
  readonly plugin: string;
  /** As the plugin calls it. */
  readonly own: string;
}

/** Undefined for a name without a plugin. */
export function splitName(name: string): SplitName | undefined {
  const at = name.indexOf(BETWEEN);
  return at <= 0 ? undefined : { plugin: name.slice(0, at), own: name.slice(at + BETWEEN.length) };
}

/** All that a name can mean; other hosts write the tools of MCP servers as `mcp__server__tool`. */
export function readingsOf(name: string): readonly SplitName[] {
  const full = splitName(name);
  const server = name.startsWith(SERVER) ? splitName(name.slice(SERVER.length)) : undefined;
  return [full, server].filter((one) => one !== undefined);
}

/** Whether this may mean what the plugin calls so. */
export function isNameOf(name: string, plugin: string, own: string): boolean {
  return name === own || readingsOf(name).some((one) => one.plugin === plugin && one.own === own);
}

/** Without that of the plugin. */
export function ownPart(name: string): string {
  return splitName(name)?.own ?? name;
}

/** ` Did you mean …?` of full names: a word without a plugin is compared with the tools alone. */
export function didYouMeanTool(word: string, names: Iterable<string>): string {
  return didYouMean(word, names, splitName(word) === undefined ? ownPart : undefined);
}

const BETWEEN = '__';
const SERVER = 'mcp__';
