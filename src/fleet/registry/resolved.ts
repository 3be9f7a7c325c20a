// What the registry finds under a name: enough to decide on a call, and to make it.
import type { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CommandProfile } from '../../definition/backend.ts';
import { isOwner, type Caller } from '../../definition/caller.ts';
import type { CallDescription } from '../../definition/outcome.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Call, CallOptions } from '../plugin/call.ts';
import type { Talk } from '../plugin/talk.ts';

/** Where a plugin runs and who wrote it: ours, in this process, or in a process of its own. */
export type PluginOrigin = 'built-in' | 'in-process' | 'process';

export interface ResolvedTool {
  readonly kind: 'tool';
  /** `plugin__tool`, however it was asked for. */
  readonly name: string;
  /** The same where MCP clients and models take it, else one that they take. */
  readonly clientName: string;
  /** No other plugin has one that it calls so: it can be asked for by its own name. */
  readonly isUnique: boolean;
  readonly plugin: string;
  readonly origin: PluginOrigin;
  /** Whether the owner offers its plugin to clients. */
  readonly isForClients: boolean;
  /** As the plugin declares it, under its own name. */
  readonly tool: Tool;
  /** The plugin says that it needs no question, and is one whose word counts. */
  readonly isAutoApproved: boolean;
  /** Its plugin runs in the sandbox. */
  readonly isConfined?: boolean;
  /** Not gated: for the gate alone. */
  call(args: JsonObject, options?: CallOptions): Call;
  /** A conversation that begins with it; not gated either. Undefined: its plugin holds none. */
  readonly talk?: (args: JsonObject, options?: CallOptions) => Talk;
  /** What the plugin has to say to whoever is asked for permission; its words are not to be trusted. */
  describe?(args: JsonObject): Promise<CallDescription | undefined>;
}

export interface ResolvedCommand {
  readonly kind: 'command';
  /** `plugin__command`, however it was asked for. */
  readonly name: string;
  readonly clientName: string;
  readonly isUnique: boolean;
  readonly plugin: string;
  readonly origin: PluginOrigin;
  /** Whether the owner offers its plugin to clients. */
  readonly isForClients: boolean;
  readonly command: CommandProfile;
  /** Not gated: for the gate alone. */
  call(args: JsonObject, options?: CallOptions): Call;
  complete(parameter: string, typed: string): Promise<readonly string[]>;
}

/** A resource or a prompt of a plugin, on its way through the gate like a call. */
export interface ResolvedContent {
  readonly kind: 'resource' | 'prompt';
  /** `plugin__resource:URI` or `plugin__prompt:NAME`. */
  readonly name: string;
  readonly ownName: string;
  readonly plugin: string;
  readonly origin: PluginOrigin;
  readonly isForClients: boolean;
  /** Not gated: for the gate alone. */
  call(args: JsonObject, options?: CallOptions): Call;
}

export type { CallDescription };

/**
 * What a caller is offered of all that is exposed: lists show it by this, and the gate lets nothing else be called.
 * The owner is offered everything; clients what is meant for them; nobody but the owner commands that change what is allowed.
 */
export function isOffered(
  caller: Pick<Caller, 'kind'>,
  target: ResolvedTool | ResolvedCommand | ResolvedContent,
): boolean {
  if (isOwner(caller)) return true;
  if (target.kind === 'command' && target.command.forUsersOnly === true) return false;
  return caller.kind !== 'client' || target.isForClients;
}

/** What the gate asks of the registry. Only what is exposed and enabled is found. */
export interface CallSource {
  resolveTool(name: string): ResolvedTool | undefined;
  resolveCommand(name: string): ResolvedCommand | undefined;
  /** All tools of a plugin, as it lists them now. @default nobody knows */
  toolsOf?(plugin: string): readonly ResolvedTool[];
  /** For a name that is not found: what is wrong, and what may have been meant. UNKNOWN_TOOL, or why its plugin is not there. */
  whyNot(name: string, kind: 'tool' | 'command'): PluglotError;
}

/** What the registry asks of the gate: whatever it hands out goes through it. */
export interface CallGate {
  /** Never throws and never rejects: what is refused is an outcome. */
  call(tool: string, args: JsonObject, options: GatedCallOptions): Call;
  run(command: string, args: JsonObject, options: GatedCallOptions): Call;
}

export interface GatedCallOptions extends Omit<CallOptions, 'caller' | 'onBehalfOf' | 'execution' | 'id'> {
  readonly caller: Caller;
}
