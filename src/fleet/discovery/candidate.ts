// What a source of plugins hands on, before it is settled which name belongs to whom and what may be run.
import type { JsonObject } from '../../base/json.ts';
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
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
  /** It is known, but not to be started. */
  readonly disabled?: boolean;
}

/** A plugin that runs inside of the host. */
export interface ModuleSpec {
  /** As the user knows it. */
  readonly name: string;
  readonly file: string;
  /** The exported function that makes the plugin. */
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
