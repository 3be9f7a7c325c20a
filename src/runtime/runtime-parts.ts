// The options of a host, and the parts it is made of.
import type { Secrets } from '../secrets/secrets.ts';
import type { Message, Received } from '../channel/message/message.ts';
import type { Caller } from '../definition/caller.ts';
import type { LogEntry } from '../definition/tool.ts';
import type { Discovery } from '../fleet/discovery/discover.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { TrafficLimits } from '../fleet/recording/traffic.ts';
import type { Registry } from '../fleet/registry/registry.ts';
import type { Approver } from '../gate/approval/approver.ts';
import type { ApprovalQueue } from '../gate/approval/queue.ts';
import type { Gate } from '../gate/gate.ts';
import type { Unattended } from '../gate/approval/approvals.ts';
import type { SandboxView } from './api.ts';
import type { TerminalPort } from '../outside/terminal.ts';
import type { FleetPartsOptions } from './fleet-parts.ts';
import type { OwnPlugin } from './own-plugins.ts';
import type { Tokens } from './tokens/tokens.ts';

export interface RuntimeOptions extends FleetPartsOptions {
  /** Plugins in code, by name. They are trusted; a file with a plugin of the same name does not replace them. */
  readonly plugins?: Readonly<Record<string, OwnPlugin>>;
  /** Whether the programs in `plugins` are started at once. @default false */
  readonly startsPlugins?: boolean;
  /** Whether plugins are looked for in configuration files, folders and packages. @default true */
  readonly readsFiles?: boolean;
  /** Whether files are read again after the first time. @default true */
  readonly followsFiles?: boolean;
  /** Changes what was found in files before it is used. */
  readonly select?: (found: Discovery) => Discovery;
  /**
   * Whether the built-in plugins are there. `by-name`: they are loaded when a name is looked up that no other plugin has.
   * @default as configured, else true
   */
  readonly builtIns?: boolean | 'by-name';
  /** The caller of calls that name none. @default the program */
  readonly caller?: Caller;
  /** Asked whether a call may happen, whatever is configured. */
  readonly approver?: Approver;
  /** Asked as well, such as the console of this host, unless the configuration turns questions off. */
  readonly approvals?: ApprovalQueue;
  /** The terminal of this host, for those questions. */
  readonly terminal?: TerminalPort;
  /** The person at the terminal, for plugins that let a person choose. */
  readonly person?: TerminalPort;
  /** Why no one can be asked, and what to do about it: part of the refusal. */
  readonly unattended?: Unattended;
  /** Tools that the host brings and that need no question, as `plugin__tool`. Returns a new list when they change. */
  readonly allowedTools?: () => readonly string[];
  /** Prints for a person what plugins say beside their answers. @default nothing is printed */
  readonly print?: (line: string) => void;
  /** Gets what plugins in this process log beside their calls, unless their logs are followed. @default it is dropped */
  readonly log?: (plugin: string, entry: LogEntry) => void;
  /** Gets every message on the wires of plugins. */
  readonly onMessage?: (seen: SeenMessage) => void;
  /** Whether calls are traced with OpenTelemetry. @default true */
  readonly tracing?: boolean;
  /** @default that of this process */
  readonly fetch?: typeof fetch;
  /** The version of the program that this host is a part of, for `health`. @default '0.0.0' */
  readonly version?: string;
  /** Whether messages on the wires are kept to be looked at; limits mean yes. @default false */
  readonly traffic?: boolean | TrafficLimits;
}

interface SeenMessage {
  readonly plugin: string;
  /** The fleet has no other plugin. */
  readonly isOnly: boolean;
  readonly direction: 'sent' | 'received';
  readonly message: Message | Received;
  readonly secrets: Secrets;
}

export interface PluginLogged {
  readonly plugin: string;
  readonly entry: LogEntry;
}

export interface RuntimeParts {
  readonly registry: Registry;
  readonly gate: Gate;
  readonly fleet: Fleet;
  /** Problems of the files that were read. */
  readonly problems: readonly Problem[];
  /** What the last look at the files has found, also what may not be used. */
  readonly found: Discovery | undefined;
  /** Masks what is kept or shown. It knows the secrets that plugins get; add others with `secrets.learn([…])`. */
  readonly secrets: Secrets;
  /** Access over HTTP. */
  readonly tokens: Tokens;
  /** Where this host keeps its state, its audit logs and their heads, and the file to which heads are sent. */
  readonly folders: {
    readonly state: string;
    readonly audit: string;
    readonly auditIndex: string;
    readonly sentHeads?: string | undefined;
  };
  /** The sandbox of confined programs; looked for once. */
  sandbox(): Promise<SandboxView>;
  /** What plugins in this process log beside their calls; the returned function ends that. */
  onLog(listener: (logged: PluginLogged) => void): () => void;
  /**
   * Reads again what is configured for the gate and which rules hold. What cannot be read leaves all of it as it was.
   * Returns what is wrong, what takes effect only at the next start, and a version that grows with every change.
   */
  reloadGate(): Promise<{ readonly version: number; readonly problems: readonly Problem[] }>;
  /** Calls under way are cancelled, plugins are taken down, and no process is left. */
  close(): Promise<void>;
}
