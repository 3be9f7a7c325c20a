// What a host is made of, and what it may be told.
import type { Secrets } from '../base/secrets.ts';
import type { LogEntry } from '../definition/tool.ts';
import type { Discovery } from '../fleet/discovery/discover.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { TrafficLimits } from '../fleet/recording/traffic.ts';
import type { Registry } from '../fleet/registry/registry.ts';
import type { Approver } from '../gate/approval/approver.ts';
import type { ApprovalQueue } from '../gate/approval/queue.ts';
import type { TerminalPort } from '../gate/approval/terminal.ts';
import type { Gate } from '../gate/gate.ts';
import type { Unattended } from '../gate/stages/approved.ts';
import type { SandboxView } from './api.ts';
import type { Person } from '../plugins/host-ports.ts';
import type { FleetPartsOptions } from './fleet-parts.ts';
import type { Tokens } from './tokens/tokens.ts';

export interface RuntimeOptions extends FleetPartsOptions {
  /**
   * Whether the built-in plugins are there.
   * @default what the configuration says, else true
   */
  readonly builtIns?: boolean;
  /** Who is asked whether a call may happen, whatever the configuration says. */
  readonly approver?: Approver;
  /** Asked beside whoever else is, such as a page of this host; nobody, where the configuration says that nobody is asked. */
  readonly approvals?: ApprovalQueue;
  /** Whoever sits at the terminal of this host, for those questions. */
  readonly terminal?: TerminalPort;
  /** The same, for plugins that let a person choose. */
  readonly person?: Person;
  /** Why nobody can be asked where nobody can, and what to do about it: told with what is denied for it. */
  readonly unattended?: Unattended;
  /** Tools of plugins that this host brings itself and nobody has to be asked about, as `plugin__tool`. Another list once they are others. */
  readonly allowedTools?: () => readonly string[];
  /** Prints for a person what plugins have to tell beside their answers. @default nobody sees it */
  readonly print?: (line: string) => void;
  /** What plugins in this process log beside their calls. @default nobody hears it */
  readonly log?: (plugin: string, entry: LogEntry) => void;
  /** @default that of this process */
  readonly fetch?: typeof fetch;
  /** Of the program that this host is a part of, for whoever asks how it is. @default '0.0.0' */
  readonly version?: string;
  /** Whether the messages on the wires are kept for people to look at; limits mean yes. @default false */
  readonly traffic?: boolean | TrafficLimits;
}

export interface PluginLogged {
  readonly plugin: string;
  readonly entry: LogEntry;
}

/** What it is made of. */
export interface RuntimeParts {
  readonly registry: Registry;
  readonly gate: Gate;
  readonly fleet: Fleet;
  /** What of the files could not be used, or maybe not as meant. */
  readonly problems: readonly Problem[];
  /** What the last look for plugins has found, also what may not be used. */
  readonly found: Discovery | undefined;
  /** What is kept or shown is masked by it. It knows what plugins are handed; tell it what else nobody may see: `secrets.learn([…])`. */
  readonly secrets: Secrets;
  /** Who may come in over HTTP. */
  readonly tokens: Tokens;
  /** Where this host keeps what it remembers, its audit logs and how they end; and the file to which that is sent. */
  readonly folders: {
    readonly state: string;
    readonly audit: string;
    readonly auditIndex: string;
    readonly sentHeads?: string | undefined;
  };
  /** What confined programs run in here; looked for once. */
  sandbox(): Promise<SandboxView>;
  /** What plugins in this process log beside their calls; the returned function ends that. */
  onLog(listener: (told: PluginLogged) => void): () => void;
  /**
   * Reads again what is configured for the gate and which rules hold. What cannot be read leaves all of it as it was.
   * Returns what is wrong, what takes effect only at the next start, and a version that grows with every change.
   */
  reloadGate(): Promise<{ readonly version: number; readonly problems: readonly Problem[] }>;
  /** Calls under way are cancelled, plugins are taken down, and no process is left. */
  close(): Promise<void>;
}
