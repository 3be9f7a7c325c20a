// Which plugins are known and which are exposed, in this process or in their own, of any dialect.
import type { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Call, CallOptions } from '../../definition/call.ts';
import { type Caller, isOwner } from '../../definition/caller.ts';
import type { Definition } from '../../definition/definition.ts';
import type { CommandManifest, Manifest } from '../../definition/manifest.ts';
import type { CallDescription } from '../../definition/outcome.ts';
import type { PluginLimits } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Problem } from '../discovery/problem.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { Talk } from '../plugin/talk.ts';
import type { ToolPlugin } from './tool-plugin.ts';

export interface Registry extends CallSource {
  /**
   * What a name means, as `resolveTool` and `resolveCommand` read it. Waits for plugins that are starting, lazy or not exposed yet,
   * but not for a slow one where another has the name.
   * @throws PluglotError UNKNOWN_TOOL with suggestions, PLUGIN_STOPPED, NOT_TRUSTED, or why the plugin that is named cannot start
   */
  resolve(name: string, kind: 'tool'): Promise<ResolvedTool>;
  resolve(name: string, kind: 'command'): Promise<ResolvedCommand>;
  /** All tools of a plugin that are exposed and switched on, in its order. */
  toolsOf(plugin: string): readonly ResolvedTool[];
  /** Looks for plugins and gives the names of all that are available now. What cannot be used is in `problems`. */
  discover(options?: DiscoverChoice): Promise<readonly string[]>;
  readonly problems: readonly Problem[];
  listAvailable(): readonly string[];
  /** Exposes all, with configuration by name. Resolves with those that could not be exposed, also because they are not trusted. */
  exposeAll(config?: Readonly<Record<string, JsonObject>>): Promise<readonly ExposureFailure[]>;
  /**
   * Sets it up; again only where the configuration is another one.
   * @throws PluglotError UNKNOWN_PLUGIN with what is available, or why it could not be set up
   */
  exposeTool(name: string, config?: JsonObject, options?: ExposeOptions): Promise<void>;
  /** Exposes it unless it is exposed, was stopped, or failed before. @throws PluglotError why it cannot be asked */
  ask(name: string): Promise<void>;
  /** Takes it down, if it is exposed. `why`: the failure of all calls until it is exposed again. */
  unexposeTool(name: string, why?: PluglotError): Promise<void>;
  /** The user does not want it to be stopped any more; it is not exposed by that. */
  wake(name: string): Promise<void>;
  /** Why a plugin that was found may not be used. */
  refusalOf(name: string): PluglotError | undefined;
  unexposeAll(): Promise<void>;
  listExposed(): readonly string[];
  isExposed(name: string): boolean;
  /**
   * @throws PluglotError CONFIG_INVALID when the name is taken, DEFINITION_INVALID when it is not a plugin
   */
  registerPlugin(
    plugin: Definition | ToolPlugin | Plugin,
    options?: {
      /** @default its own */
      readonly name?: string;
      readonly origin?: PluginOrigin;
      /** What holds for it where it runs in this process, looked at whenever it is exposed; its configuration goes on top. */
      readonly settings?: () => RegisteredSettings;
    },
  ): void;
  /** A plugin whose definition is loaded when it is first needed. @throws PluglotError CONFIG_INVALID when the name is taken */
  registerDeferred(
    name: string,
    load: () => Promise<Definition>,
    options?: { readonly origin?: PluginOrigin; readonly settings?: () => RegisteredSettings },
  ): void;
  getPlugin(name: string): RegisteredPlugin | undefined;
  /** By the name of a tool: `plugin__tool`, or its own where no other plugin has such a one. */
  getPluginForTool(tool: string): RegisteredPlugin | undefined;
  /** Single tools of exposed plugins. @throws PluglotError UNKNOWN_TOOL */
  enableTool(tool: string): void;
  disableTool(tool: string): void;
  isToolEnabled(tool: string): boolean;
  /** In a stable order, as `plugin__tool`. */
  getExposedDeclarations(): readonly Tool[];
  /** Gated, by `plugin__tool`. */
  getExposedExecutors(): ReadonlyMap<string, Executor>;
  getExposedUserCommands(): readonly CommandManifest[];
  getSystemInstructions(): string | undefined;
  /** The tools that run without a question, as `plugin__tool`. */
  getAutoApprovedTools(): readonly string[];
  onChanged(listener: (change: RegistryChange) => void): () => void;
  /** What it hands out goes through this gate; before that every executor is denied. */
  useGate(gate: CallGate): void;
  close(): Promise<void>;
}

export interface ExposeOptions {
  /** A plugin that the user has stopped stays so. @default false */
  readonly unlessStopped?: boolean;
}

export interface RegisteredSettings {
  readonly config?: JsonObject;
  readonly limits?: PluginLimits;
  /** Whether clients are offered it. @default true */
  readonly clients?: boolean;
}

export interface DiscoverChoice {
  /** Whether folders and configuration files are looked through, or installed packages alone. @default true */
  readonly folders?: boolean;
  /** @default true */
  readonly packages?: boolean;
}

export interface RegisteredPlugin {
  readonly name: string;
  readonly origin: PluginOrigin;
  readonly isExposed: boolean;
  /** Whether clients are offered it. */
  readonly isForClients: boolean;
  /** Undefined until it was asked. */
  readonly manifest: Manifest | undefined;
  /** Why it could not be exposed, or failed since. */
  readonly failure: PluglotError | undefined;
  /** The failure of its calls since the user has stopped it. */
  readonly stopped?: PluglotError | undefined;
  /** The plugin of the fleet, where it has processes of its own and is exposed. */
  readonly process: Plugin | undefined;
}

export interface ExposureFailure {
  readonly plugin: string;
  readonly error: PluglotError;
}

/** A call through the gate, by default as a model. Never rejects. */
export type Executor = (args: JsonObject, options?: Partial<GatedCallOptions>) => Call;

export type RegistryChange =
  | { readonly kind: 'exposed' | 'unexposed'; readonly plugin: string }
  /** Tools, commands or instructions of an exposed plugin are others now. */
  | { readonly kind: 'manifest-changed'; readonly plugin: string }
  | { readonly kind: 'available-changed' };

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
  /** The plugin marks it as needing no approval, and is trusted to. */
  readonly isAutoApproved: boolean;
  /** Its plugin runs in the sandbox. */
  readonly isConfined?: boolean;
  /** Not gated: for the gate alone. */
  call(args: JsonObject, options?: CallOptions): Call;
  /** A conversation that begins with it; not gated either. Undefined: its plugin holds none. */
  readonly talk?: (args: JsonObject, options?: CallOptions) => Talk;
  /** The plugin's description of a call, for the person who is asked. It is not to be trusted. */
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
  readonly command: CommandManifest;
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
 * The owner is offered everything, clients what is meant for them. Only the owner is offered commands that change what is allowed.
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
  /** All tools of a plugin, as it lists them now. @default unknown */
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
