// The MCP servers of this machine and this project, as the command `mcp` uses them.
import type { JsonObject } from '../../base/json.ts';
import type { PluginEntry } from '../../fleet/discovery/config-file.ts';
import type { PluginState } from '../../fleet/plugin/instances.ts';
import type { LogRecord } from '../../fleet/plugin/logs/log-book.ts';

export const LOG_MAX = 500;

/** Secrets are masked in all results. Failures are PluglotErrors that say how to fix them. */
export interface McpServers {
  /** In a stable order, from the files. */
  list(): Promise<ServerList>;
  /** Writes it into `.mcp.json` and connects it. A failed connection is reported by its state. */
  add(name: string, entry: PluginEntry, options: AddOptions): Promise<ServerChange>;
  /** Removes it from its file, disconnects it, and deletes its tokens. */
  remove(name: string): Promise<ServerChange>;
  /** Starts it, or joins a start that is under way. */
  connect(name: string, options: ConnectOptions): Promise<ServerView>;
  /** It stays disconnected until it is connected again. */
  disconnect(name: string): Promise<ServerView>;
  /** Reads the files again; starts new and changed servers, all at once, and stops removed ones. The others go on. */
  reload(options: ConnectOptions): Promise<Reloaded>;
  /** The last `LOG_MAX`, the oldest first. */
  logs(): readonly ServerLog[];
  clearLogs(): void;
}

export interface ServerList {
  readonly servers: readonly ServerView[];
  /** Problems of the files, one line each. */
  readonly problems: readonly string[];
}

export interface ServerView {
  readonly name: string;
  readonly state: ServerState;
  /** Why, where that has a reason, with the way out. */
  readonly reason?: string;
  readonly transport: 'stdio' | 'http';
  /** The command line, or the address. */
  readonly target: string;
  readonly tools: readonly { readonly name: string; readonly description?: string }[];
  /** `.mcp.json:7` */
  readonly place: string;
  /** As it is written down. */
  readonly entry: JsonObject;
  /** How long it is in this state, in milliseconds. */
  readonly forMs: number;
  readonly restarts: number;
  readonly pids: readonly number[];
  /** As it introduced itself. */
  readonly version?: string;
  /** Its configuration has changed since it was started. */
  readonly isOutdated?: boolean;
}

export type ServerState = PluginState | 'disabled' | 'not trusted' | 'not connected';

interface AddOptions extends ConnectOptions {
  /** Into the user's own file instead of the project's. */
  readonly isUser: boolean;
}

export interface ConnectOptions {
  /** Shows the user where to log in. */
  readonly show: (server: string, url: string) => void;
  readonly signal: AbortSignal;
}

interface ServerChange {
  readonly file: string;
  /** Undefined when it was removed. */
  readonly server?: ServerView;
}

export interface Reloaded extends ServerList {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly kept: readonly string[];
}

export interface ServerLog extends Pick<LogRecord, 'at' | 'level' | 'message'> {
  readonly server: string;
}
