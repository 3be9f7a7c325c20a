// What the checks found, and what it comes to.
import type { DialectName } from '../definition/plugin-spec.ts';
import type { Check, Finding } from './check.ts';

export interface CheckResult extends Omit<Check, 'run'>, Finding {
  readonly durationMs: number;
}

export interface CheckReport {
  readonly plugin: string;
  readonly dialect: DialectName;
  /** What the checks called. */
  readonly tool?: string;
  readonly results: readonly CheckResult[];
  readonly counts: CheckCounts;
  readonly grade: Grade;
  /** No check that counts as an error has failed. */
  readonly ok: boolean;
  readonly durationMs: number;
}

export interface CheckCounts {
  readonly passed: number;
  /** Of those that failed: what has to be mended, what should be, and what is good to know. */
  readonly errors: number;
  readonly warnings: number;
  readonly hints: number;
  readonly doesNotApply: number;
}

export type Grade = 'A' | 'B' | 'C' | 'D' | 'F';

export function makeReport(
  about: Pick<CheckReport, 'plugin' | 'dialect' | 'tool' | 'durationMs'>,
  results: readonly CheckResult[],
): CheckReport {
  const failures = (severity: Check['severity']) =>
    results.filter((result) => result.verdict === 'failed' && result.severity === severity).length;
  const counts: CheckCounts = {
    passed: results.filter(({ verdict }) => verdict === 'passed').length,
    errors: failures('error'),
    warnings: failures('warning'),
    hints: failures('info'),
    doesNotApply: results.filter(({ verdict }) => verdict === 'does-not-apply').length,
  };
  return { ...about, results, counts, grade: gradeOf(counts), ok: counts.errors === 0 };
}

/** A: nothing to mend. B: a few things that should be. C: many of them. D: up to one error in ten. F: more. */
function gradeOf({ passed, errors, warnings }: CheckCounts): Grade {
  if (errors === 0) return warnings === 0 ? 'A' : warnings <= FEW ? 'B' : 'C';
  return errors / (passed + errors + warnings) <= 0.1 ? 'D' : 'F';
}

const FEW = 3;
