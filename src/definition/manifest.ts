// The description of a plugin, wherever it runs.
import type { Json } from '../base/json.ts';
import type { FileTypes } from './plan.ts';
import type { DialectName } from './plugin-spec.ts';
import type { JsonSchema, Tool } from './tool.ts';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly author?: string;
  /** `in-process`: a definition, before it is served in a dialect. */
  readonly dialect: DialectName | 'in-process';
  readonly protocolVersion?: string;
  /** As the plugin declared them; undefined means unknown, not none. */
  readonly capabilities?: Json;
  readonly interfaces?: readonly { readonly id: string; readonly version?: string }[];
  /** Programs that have to be in PATH. */
  readonly requires?: readonly { readonly command: string }[];
  readonly configSchema?: JsonSchema;
  /** What a model should know before it uses the tools. */
  readonly instructions?: string;
  readonly tools: readonly Tool[];
  readonly commands?: readonly CommandManifest[];
  /** The files that its extractor takes. */
  readonly extractor?: FileTypes;
  /** It makes plans. */
  readonly planner?: boolean;
  /** It executes tasks, and may validate code. */
  readonly executor?: { readonly validateCode?: boolean };
  /** It takes input of the user in a session. */
  readonly talks?: boolean;
  /** It takes changes of files, dependencies and state. */
  readonly keepsContext?: boolean;
  /** Sent at start-up besides the manifest, such as YAMS's `config_applied`. */
  readonly configApplied?: Json;
  /** The manifest as it came over the wire; null where none came. */
  readonly raw: Json;
}

/** A command that the user may run without the model. */
export interface CommandManifest {
  readonly name: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
    /** Takes the rest of what was typed. */
    readonly captureRest?: boolean;
  }[];
  /** Whether the model sees its result. */
  readonly shareWithModel: boolean;
  /** It changes rules, trust or configuration: only the owner of the host sees and runs it. @default false */
  readonly forUsersOnly?: boolean;
}

export interface Health {
  readonly status: 'ok' | 'degraded' | 'error';
  readonly message?: string;
  /** The whole health report of the plugin. */
  readonly details?: Json;
}
