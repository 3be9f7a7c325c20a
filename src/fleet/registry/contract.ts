// Which plugins are known and which are exposed, wherever they run: in this process or in one of their own, in any dialect.
import type { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CommandProfile, Profile } from '../../definition/backend.ts';
import type { Definition } from '../../definition/definition.ts';
import type { PluginLimits } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Problem } from '../discovery/problem.ts';
import type { Call } from '../plugin/call.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { CallGate, CallSource, GatedCallOptions, PluginOrigin, ResolvedTool } from './resolved.ts';
import type { ToolPlugin } from './tool-plugin.ts';

export interface Registry extends CallSource {
  /** All tools of a plugin that are exposed and switched on, in its order. */
  toolsOf(plugin: string): readonly ResolvedTool[];
  /** Looks for plugins and gives the names of all that are available now. What cannot be used is in `problems`. */
  discover(options?: DiscoverChoice): Promise<readonly string[]>;
  readonly problems: readonly Problem[];
  listAvailable(): readonly string[];
  /** Exposes all, with configuration by name. One that fails does not stop the others: it is in what this resolves with. */
  exposeAll(config?: Readonly<Record<string, JsonObject>>): Promise<readonly ExposureFailure[]>;
  /**
   * The first time sets it up; again with another configuration sets it up anew; else nothing.
   * @throws PluglotError UNKNOWN_PLUGIN with what is available, or why it could not be set up
   */
  exposeTool(name: string, config?: JsonObject): Promise<void>;
  /**
   * Takes it down; nothing when it is not exposed. `why`: whoever asks for something of it hears this, until the next time.
   */
  unexposeTool(name: string, why?: PluglotError): Promise<void>;
  unexposeAll(): Promise<void>;
  listExposed(): readonly string[];
  isExposed(name: string): boolean;
  /**
   * @throws PluglotError CONFIG_INVALID when the name is taken, DEFINITION_INVALID when it is none
   */
  registerPlugin(
    plugin: Definition | ToolPlugin | Plugin,
    options?: {
      readonly origin?: PluginOrigin;
      /** What holds for it where it runs in this process, looked at whenever it is exposed; its configuration goes on top. */
      readonly settings?: () => RegisteredSettings;
    },
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
  getExposedUserCommands(): readonly CommandProfile[];
  getSystemInstructions(): string | undefined;
  /** The tools that run without a question, as `plugin__tool`. */
  getAutoApprovedTools(): readonly string[];
  onChanged(listener: (change: RegistryChange) => void): () => void;
  /** What it hands out goes through this gate; before that every executor is denied. */
  useGate(gate: CallGate): void;
  close(): Promise<void>;
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
  /** As it says of itself; undefined until it was asked. */
  readonly profile: Profile | undefined;
  /** Why it could not be exposed, or failed since. */
  readonly failure: PluglotError | undefined;
  /** What those hear who want something of it, since somebody has stopped it. */
  readonly stopped?: PluglotError | undefined;
  /** The plugin of the fleet, where it has processes of its own and is exposed. */
  readonly process: Plugin | undefined;
}

export interface ExposureFailure {
  readonly plugin: string;
  readonly error: PluglotError;
}

/** A call through the gate, as a model unless said otherwise. Never rejects. */
export type Executor = (args: JsonObject, options?: Partial<GatedCallOptions>) => Call;

export type RegistryChange =
  | { readonly kind: 'exposed' | 'unexposed'; readonly plugin: string }
  /** Tools, commands or instructions of an exposed plugin are others now. */
  | { readonly kind: 'profile-changed'; readonly plugin: string }
  | { readonly kind: 'available-changed' };
