// A plugin that is exposed, wherever it runs.
import type { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../definition/backend.ts';
import type { CallDescription } from '../../definition/outcome.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Call, CallOptions } from '../plugin/call.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { Talk } from '../plugin/talk.ts';
import type { PluginOrigin } from './resolved.ts';

export interface LivePlugin {
  /** As it is now. */
  readonly profile: Profile;
  /** Why it does not work now, though it is exposed. */
  readonly failure?: PluglotError | undefined;
  readonly process?: Plugin;
  call(tool: string, args: JsonObject, options?: CallOptions): Call;
  /** A conversation that begins with a call. Undefined: it holds none. */
  readonly talk?: (tool: string, args: JsonObject, options?: CallOptions) => Talk;
  run(command: string, args: JsonObject, options?: CallOptions): Call;
  /** Never rejects. */
  complete(command: string, parameter: string, typed: string): Promise<readonly string[]>;
  /** Never rejects. */
  describe?(tool: string, args: JsonObject): Promise<CallDescription | undefined>;
  /** A tool that its profile does not list, where there may be one. */
  findUnlisted?(tool: string): Tool | undefined;
  /** Hears when the profile has changed; the returned function ends that. */
  onChanged(listener: () => void): () => void;
  /** Takes it down. Never rejects. */
  stop(): Promise<void>;
}

/** Where a plugin comes from, before it is exposed. */
export interface PluginSource {
  readonly origin: PluginOrigin;
  /** What is configured for it; what it is exposed with goes on top. */
  readonly config?: JsonObject | undefined;
  /** Whether clients are offered it. @default true */
  readonly clients?: boolean | undefined;
  /** What is known of it before it runs. */
  readonly profile?: Profile;
  /**
   * The signal gives it up.
   * @throws PluglotError why it cannot be set up; nothing of it is left then
   */
  start(config: JsonObject, signal: AbortSignal): Promise<LivePlugin>;
}
