// What a plugin says of itself, in neutral form.
import type { Json } from '../base/json.ts';
import type { FileTypes } from './extraction.ts';
import type { DialectName } from './plugin-spec.ts';
import type { Tool } from './tool.ts';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly author?: string;
  readonly dialect: DialectName;
  readonly protocolVersion?: string;
  /** As the plugin told them; undefined means unknown, not none. */
  readonly capabilities?: Json;
  readonly interfaces?: readonly { readonly id: string; readonly version?: string }[];
  /** Programs that have to be in PATH. */
  readonly requires?: readonly { readonly command: string }[];
  readonly tools: readonly Tool[];
  /** What the extractor of the plugin takes. */
  readonly extractor?: FileTypes;
  /** What a model should know before it uses the tools. */
  readonly instructions?: string;
  /** What was told on top of the manifest at start-up, such as YAMS's `config_applied`. */
  readonly configApplied?: Json;
  /** The manifest as it came over the wire. */
  readonly raw: Json;
}

export interface Health {
  readonly status: 'ok' | 'degraded' | 'error';
  readonly message?: string;
  /** All that the plugin told of its health. */
  readonly details?: Json;
}
