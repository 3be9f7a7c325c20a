// What became of one plugin that was looked at.
import type { Finding } from './finding.ts';

export interface Diagnosis {
  readonly name: string;
  /** The file that says so. */
  readonly from: string;
  /** Undefined: it was not asked. */
  readonly dialect?: string;
  readonly version?: string;
  readonly tools?: number;
  readonly health?: string;
  readonly startMs?: number;
  readonly findings: readonly Finding[];
}
