// What a source of plugins finds, before names are assigned and trust is checked.
import type { JsonObject } from '../../base/json.ts';
import { isPluginName, type PluginLimits, type PluginSpec } from '../../definition/plugin-spec.ts';
import type { Claim } from '../trust/trust-store.ts';
import type { Problem } from './problem.ts';

export interface Origin {
  readonly kind: 'user-config' | 'project-config' | 'folder' | 'mcp-json' | 'package';
  readonly file: string;
  /** From 1. */
  readonly line?: number;
}

export interface Candidate {
  readonly spec: PluginSpec;
  readonly origin: Origin;
  /** `own`: the user wrote it. */
  readonly claim: Claim | 'own';
  /** Known, but not to be started. */
  readonly disabled?: boolean;
}

/** A plugin that runs inside the host. */
export interface ModuleSpec {
  /** As the user knows it. */
  readonly name: string;
  readonly file: string;
  /** The exported function that creates the plugin. */
  readonly factory: string;
  readonly config?: JsonObject;
  readonly limits?: PluginLimits;
  readonly clients?: boolean;
}

export interface ModuleCandidate extends Omit<Candidate, 'spec'> {
  readonly module: ModuleSpec;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  readonly modules?: readonly ModuleCandidate[];
  readonly problems: readonly Problem[];
}

/** A valid plugin name from the name of a folder or of a server in another client; undefined if no character of it can be kept. */
export function pluginName(given: string): string | undefined {
  const name = given
    .slice(0, 256)
    .replaceAll(/[^\p{L}\p{N}_.-]+|_{2,}/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '');
  const cut = Array.from(name)
    .slice(0, 64)
    .join('')
    .replace(/[-_]+$/, '');
  return isPluginName(cut) ? cut : undefined;
}
