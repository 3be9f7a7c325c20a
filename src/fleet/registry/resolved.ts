// What the registry finds under a name: enough to decide on a call, and to make it.
import type { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CommandProfile } from '../../definition/backend.ts';
import type { Account, Caller } from '../../definition/caller.ts';
import type { CallDescription } from '../../definition/outcome.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Call, CallOptions } from '../plugin/call.ts';
import type { Talk } from '../plugin/talk.ts';

/** Where a plugin runs and who wrote it: ours, in this process, or in a process of its own. */
export type PluginOrigin = 'built-in' | 'in-process' | 'process';

export interface ResolvedTool {
  readonly kind: 'tool';
  /** As it is exposed: bare, or `plugin__tool`. */
  readonly name: string;
  readonly plugin: string;
  readonly origin: PluginOrigin;
  /** As the plugin declares it, under its own name. */
  readonly tool: Tool;
  /** The plugin says that it needs no question, and is one whose word counts. */
  readonly isAutoApproved: boolean;
  /** Not gated: for the gate alone. */
  call(args: JsonObject, options?: CallOptions): Call;
  /** A conversation that begins with it; not gated either. Undefined: its plugin holds none. */
  readonly talk?: (args: JsonObject, options?: CallOptions) => Talk;
  /** What the plugin has to say to whoever is asked for permission; its words are not to be trusted. */
  describe?(args: JsonObject): Promise<CallDescription | undefined>;
}

export interface ResolvedCommand {
  readonly kind: 'command';
  readonly name: string;
  readonly plugin: string;
  readonly origin: PluginOrigin;
  readonly command: CommandProfile;
  /** Not gated: for the gate alone. */
  call(args: JsonObject, options?: CallOptions): Call;
  complete(parameter: string, typed: string): Promise<readonly string[]>;
}

export type { CallDescription };

/** What the gate asks of the registry. Only what is exposed and enabled is found. */
export interface CallSource {
  resolveTool(name: string): ResolvedTool | undefined;
  resolveCommand(name: string): ResolvedCommand | undefined;
  /** For a name that is not found: what is wrong, and what may have been meant. UNKNOWN_TOOL, or why its plugin is not there. */
  whyNot(name: string, kind: 'tool' | 'command'): PluglotError;
}

/** What the registry asks of the gate: whatever it hands out goes through it. */
export interface CallGate {
  /** Never throws and never rejects: what is refused is an outcome. */
  call(tool: string, args: JsonObject, options: GatedCallOptions): Call;
  run(command: string, args: JsonObject, options: GatedCallOptions): Call;
}

export interface GatedCallOptions extends Omit<CallOptions, 'caller' | 'onBehalfOf' | 'id'> {
  readonly caller: Caller;
  /** What limits count by instead of the name of the caller. */
  readonly account?: Account;
}
