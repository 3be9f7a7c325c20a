// What every plugin of a fleet is handed.
import type { Clock } from '../../base/clock.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { TakeTurn } from '../../base/turns.ts';
import type { DialectName, PluginSpec } from '../../definition/plugin-spec.ts';
import type { Access } from '../../dialect/access.ts';
import type { HostDialect } from '../../dialect/host-dialect.ts';
import type { Introductions } from '../introductions/introductions.ts';
import type { Launcher } from '../supervisor/launcher.ts';
import type { HostWork } from './asked-work.ts';
import type { SchemaChecks } from './validation/schema-checks.ts';

export interface Surroundings {
  readonly launcher: Launcher;
  readonly clock: Clock;
  /** For the start of a process. */
  readonly takeTurn: TakeTurn;
  /** From 0 to 1. */
  random(): number;
  readonly dialects: Dialects;
  /** Finds out which dialect a plugin speaks whose spec does not say it. */
  readonly detect?: Detect;
  /** Who introduced itself before. */
  readonly introductions?: Introductions;
  readonly checks: SchemaChecks;
  /** What is kept or shown of plugins is masked by it. */
  readonly secrets: Secrets;
  readonly logFolder?: string;
  /** For servers that want to know who asks. */
  readonly access?: Access;
  /** Plugins may ask something of whoever calls them. */
  readonly relaysQuestions?: boolean;
  /** What planners may ask of this host. */
  readonly work?: HostWork;
  readonly idPrefix: string;
  nextCallNumber(): number;
}

export type Dialects = Readonly<Partial<Record<DialectName, () => Promise<HostDialect>>>>;

/**
 * What the program prints meanwhile may be given to `onStderr`, which writes it to the log of the plugin.
 * @throws PluglotError DIALECT_UNKNOWN
 */
export type Detect = (
  spec: PluginSpec,
  signal: AbortSignal,
  onStderr: (chunk: Buffer) => void,
) => Promise<DialectName>;
