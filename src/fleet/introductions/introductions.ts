// What plugins said of themselves when they ran last: one whose dialect nobody names need not be asked anew every time, and of one that
// is started by its first call it is known before what it has.
import type { Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';

export interface Introduction {
  readonly manifest: Manifest;
  readonly abilities: Abilities;
  /** In its dialect a tool may be there that no list names. */
  readonly takesUnlistedTools: boolean;
}

/** What a plugin can be asked beside its tools. */
export interface Abilities {
  readonly talks: boolean;
  readonly plans: boolean;
  readonly executes: boolean;
  readonly keepsContext: boolean;
}

/** None of it fails: what cannot be kept is not known the next time. */
export interface Introductions {
  /** Undefined where it is not known, or its program or what is configured for it has changed since. */
  recall(spec: PluginSpec): Introduction | undefined;
  keep(spec: PluginSpec, introduction: Introduction): void;
  forget(spec: PluginSpec): void;
}
