// The host's side of a protocol: what every dialect's host.ts implements, and what it is given.
import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/error.ts';
import { DEFAULT_FRAME_LIMIT } from '../base/units.ts';
import type { Ending, Pipe } from '../channel/bytes/pipe.ts';
import type { Observer, PeerTrouble } from '../channel/peer/options.ts';
import type { CallSink } from '../definition/outcome.ts';
import type { CodeRequest, TaskRequest } from '../definition/plan.ts';
import type { PluginPort, RunningCall } from '../definition/plugin-port.ts';
import type { DialectName, PluginLimits, PluginSpec, RemoteSpec } from '../definition/plugin-spec.ts';
import type { LogEntry, Tool } from '../definition/tool.ts';
import type { Access } from './access.ts';

export interface HostDialect {
  readonly name: DialectName;
  readonly traits: DialectTraits;
  /**
   * Does the handshake over a fresh pipe. The signal in `services` aborts it. When it rejects, the pipe is closed.
   * @throws PluglotError START_FAILED, PROTOCOL_VIOLATION, UNSUPPORTED_PROTOCOL, REQUIREMENT_MISSING or PIPE_ENDED, with a
   * message that names the plugin; the reason of the signal, where that is a PluglotError
   */
  connect(pipe: Pipe, spec: PluginSpec, services: HostServices): Promise<WirePort>;
  /** For servers that run elsewhere. @throws as `connect`, and UNAUTHENTICATED when the server refuses access */
  reach?(remote: RemoteSpec, spec: PluginSpec, services: HostServices): Promise<WirePort>;
}

/** The defaults of a dialect, which a spec may override. */
export interface DialectTraits {
  readonly limits: Required<PluginLimits>;
  /** How many calls a process takes at once. */
  readonly concurrency: number;
  /**
   * A call that fails with one of these codes ends its process, as G-Assist requires for its time limits.
   * @default none
   */
  readonly fatalFailures?: readonly ErrorCode[];
  /**
   * A plugin may have tools that it does not list, so that any name can be called.
   * @default false
   */
  readonly unlistedTools?: boolean;
  /**
   * The handshake sends the `config` of the spec.
   * @default false
   */
  readonly takesConfig?: boolean;
  /**
   * A plugin may exit at the first request of the handshake, and has to be started again without it (`canStartAgain`).
   * @default false
   */
  readonly mayNeedSecondStart?: boolean;
  /**
   * Which request the params of a message are about, for the display of traffic: `id:…` where they name it, else a key that other
   * messages about the same request share.
   * @default none
   */
  readonly keysIn?: (params: unknown) => readonly string[];
}

/** The limits of a dialect that has no others. */
export const defaultLimits: Required<PluginLimits> = {
  startMs: 10_000,
  callMs: 30_000,
  // No pings.
  pingEveryMs: 0,
  pingMs: 1000,
  ackMs: 2000,
  talkMs: 300_000,
  healthMs: 3000,
  shutdownMs: 5000,
  termMs: 2000,
  cancelMs: 5000,
  messageBytes: DEFAULT_FRAME_LIMIT,
};

/** What a host end is given, and what a plugin may ask of the host. */
export interface HostServices {
  readonly clock: Clock;
  /** Aborts the start. */
  readonly signal: AbortSignal;
  /** For logs that belong to no call; those of a call are its events. */
  log(entry: LogEntry): void;
  /** For what the host did, in the log of the plugin. Absent: it is not recorded. */
  note?(entry: LogEntry): void;
  /** Reports input that was survived: noise, oversize or invalid messages. */
  trouble(trouble: PeerTrouble): void;
  /** The list of tools has changed. */
  toolsChanged(tools: readonly Tool[]): void;
  /** Whether a program is in the PATH of the plugin. */
  hasCommand(command: string): boolean;
  /**
   * Work that a planner asks its host for; refused where it is absent, since the host has no executor. The `data` of the answers is
   * a TaskResult and a CodeVerdict, as JSON.
   */
  readonly executeTask?: (request: TaskRequest, sink: CallSink) => RunningCall;
  readonly validateCode?: (request: CodeRequest, sink: CallSink) => RunningCall;
  /** Sees every message on the wire. */
  readonly observer?: Observer;
  /** For servers that require authorisation; absent where the host cannot provide it. */
  readonly access?: Access;
  /** Registers secrets to be masked from now on, such as a token from a server. */
  readonly learn?: (secrets: readonly string[]) => void;
  /** Plugins may put questions to the caller: the handshake says so, and each goes to the `asker` of its call. */
  readonly relaysQuestions?: boolean;
  /** Resources or prompts have changed. Absent: not of interest. */
  readonly news?: (news: ServerNews) => void;
  /** A process that ends during this start is started once more without this flag, so a request may go first at which some plugins exit. */
  readonly canStartAgain?: boolean;
  /** The user has to act first: the time limit of the start is paused until the returned function is called. */
  readonly personDecides?: () => () => void;
}

/** A change that a server with resources or prompts reports. */
export type ServerNews =
  | { readonly kind: 'resources-changed' | 'prompts-changed' }
  | { readonly kind: 'resource-updated'; readonly uri: string };

/**
 * One open connection to a plugin, after the handshake. Arguments are checked before they come here, and time limits are the caller's: a
 * call goes on until it is answered, cancelled, or the pipe ends (PIPE_ENDED).
 */
export interface WirePort extends PluginPort {
  /** The answer to the handshake does not identify the dialect: it is assumed. */
  readonly isAssumed?: boolean;
  /** Rejects when the plugin does not answer within the limit. Absent where the dialect has no request for it. */
  ping?(limitMs: number): Promise<void>;
  /** Sends the shutdown of the dialect; resolves when the process may be ended. Never rejects. */
  shutdown(limitMs: number): Promise<void>;
  /** Fails open and later calls with PEER_CLOSED and closes the pipe. A second call does nothing. */
  close(): void;
  /** Resolves when nothing more can come, with the reason. */
  readonly ended: Promise<Ending>;
}
