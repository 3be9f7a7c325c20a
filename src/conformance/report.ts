// What the checks found, and what it comes to.
import type { DialectName } from '../definition/plugin-spec.ts';
import type { Check, Finding } from './check.ts';
import type { OfficialSdk } from './official-sdks.ts';

export interface CheckResult extends Omit<Check, 'run'>, Finding {
  readonly durationMs: number;
  /** It failed because of what the official SDK does, which this says; the author cannot change it. */
  readonly sdkLimit?: string;
}

export interface CheckReport {
  readonly plugin: string;
  readonly dialect: DialectName;
  /** What the checks called. */
  readonly tool?: string;
  /** The official SDK that the plugin is written with, where that is what keeps it from passing a check. */
  readonly sdk?: string;
  readonly results: readonly CheckResult[];
  readonly counts: CheckCounts;
  readonly grade: Grade;
  /** No check that counts as an error has failed, but for limits of the SDK. */
  readonly ok: boolean;
  readonly durationMs: number;
}

export interface CheckCounts {
  readonly passed: number;
  /** Of those that failed, and that the author can change: what has to be fixed, what should be, and what is good to know. */
  readonly errors: number;
  readonly warnings: number;
  readonly hints: number;
  /** Of those that failed: what no plugin on the official SDK passes. It does not touch the grade. */
  readonly sdkLimits: number;
  readonly doesNotApply: number;
}

export type Grade = 'A' | 'B' | 'C' | 'D' | 'F';

export function makeReport(
  about: Pick<CheckReport, 'plugin' | 'dialect' | 'tool' | 'durationMs'>,
  found: readonly CheckResult[],
  sdk?: Pick<OfficialSdk, 'name' | 'limits'>,
): CheckReport {
  const results = found.map((result) => withLimit(result, sdk));
  const failures = (severity: Check['severity']) =>
    results.filter((result) => isFailed(result) && result.severity === severity).length;
  const sdkLimits = results.filter(({ sdkLimit }) => sdkLimit !== undefined).length;
  const counts: CheckCounts = {
    passed: results.filter(({ verdict }) => verdict === 'passed').length,
    errors: failures('error'),
    warnings: failures('warning'),
    hints: failures('info'),
    sdkLimits,
    doesNotApply: results.filter(({ verdict }) => verdict === 'does-not-apply').length,
  };
  const named = sdk !== undefined && sdkLimits > 0 ? { sdk: sdk.name } : {};
  return { ...about, ...named, results, counts, grade: gradeOf(counts), ok: counts.errors === 0 };
}

/** Whether it is the author's to fix. */
export function isFailed({ verdict, sdkLimit }: Pick<CheckResult, 'verdict' | 'sdkLimit'>): boolean {
  return verdict === 'failed' && sdkLimit === undefined;
}

function withLimit(result: CheckResult, sdk: Pick<OfficialSdk, 'limits'> | undefined): CheckResult {
  const limit = result.verdict === 'failed' ? sdk?.limits[result.id] : undefined;
  return limit === undefined ? result : { ...result, sdkLimit: limit };
}

/** A: nothing to fix. B: a few things that should be. C: many of them. D: up to one error in ten. F: more. */
function gradeOf({ passed, errors, warnings }: CheckCounts): Grade {
  if (errors === 0) return warnings === 0 ? 'A' : warnings <= FEW ? 'B' : 'C';
  return errors / (passed + errors + warnings) <= 0.1 ? 'D' : 'F';
}

const FEW = 3;
