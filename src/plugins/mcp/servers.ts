// What the command `mcp` asks of its host: the MCP servers that this machine and this project know of, and what can be done with them.
import type { JsonObject } from '../../base/json.ts';
import type { PluginEntry } from '../../fleet/discovery/config-file.ts';
import type { PluginState } from '../../fleet/plugin/status.ts';
import type { LogRecord } from '../../fleet/plugin/logs/log-book.ts';

/** Secrets are masked in all that it tells. Whatever fails rejects with a PluglotError that names the way out. */
export interface McpServers {
  /** In a stable order, as the files say now. */
  list(): Promise<ServerList>;
  /** Writes it into `.mcp.json` and connects it. That it does not connect is no failure: its state tells. */
  add(name: string, entry: PluginEntry, options: AddOptions): Promise<ServerChange>;
  /** Takes it out of the file that it stands in, disconnects it, and forgets its tokens. */
  remove(name: string): Promise<ServerChange>;
  /** Starts it, or joins a start that is under way. */
  connect(name: string, options: ConnectOptions): Promise<ServerView>;
  /** It stays disconnected until it is connected again. */
  disconnect(name: string): Promise<ServerView>;
  /** Reads the files again; starts what is new or other than before, all at once, and stops what is gone. What is the same goes on. */
  reload(options: ConnectOptions): Promise<Reloaded>;
  /** The last 500, the oldest first. */
  logs(): readonly ServerLog[];
  clearLogs(): void;
}

export interface ServerList {
  readonly servers: readonly ServerView[];
  /** What is wrong with the files, each in one line. */
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
  /** The files say something else of it than what it was started with. */
  readonly isOutdated?: boolean;
}

export type ServerState = PluginState | 'disabled' | 'not trusted' | 'not connected';

interface AddOptions extends ConnectOptions {
  /** Into the user's own file instead of the project's. */
  readonly isUser: boolean;
}

export interface ConnectOptions {
  /** Shown to a person who has to say yes there. */
  readonly show: (server: string, url: string) => void;
  readonly signal: AbortSignal;
}

interface ServerChange {
  readonly file: string;
  /** Undefined when it is gone. */
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
