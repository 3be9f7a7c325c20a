// The result of the checks: counts, grade, JUnit XML and a badge.
import type { DialectName } from '../definition/plugin-spec.ts';
import type { Check, Finding } from './check.ts';
import type { OfficialSdk } from './official-sdks.ts';

export interface CheckResult extends Omit<Check, 'run'>, Finding {
  readonly durationMs: number;
  /** What the official SDK does that made it fail; the author cannot change it. */
  readonly sdkLimit?: string;
}

export interface CheckReport {
  readonly plugin: string;
  readonly dialect: DialectName;
  /** The tool that the checks called. */
  readonly tool?: string;
  /** The official SDK of the plugin, where it made a check fail. */
  readonly sdk?: string;
  readonly results: readonly CheckResult[];
  readonly counts: CheckCounts;
  readonly grade: Grade;
  /** No check with the severity error has failed, except for limits of the SDK. */
  readonly ok: boolean;
  readonly durationMs: number;
}

export interface CheckCounts {
  readonly passed: number;
  /** Failed checks that the author can fix, by severity. */
  readonly errors: number;
  readonly warnings: number;
  readonly hints: number;
  /** Failed checks that no plugin on the official SDK passes. They do not count for the grade. */
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

/** Whether it failed and the author can fix it. */
export function isFailed({ verdict, sdkLimit }: Pick<CheckResult, 'verdict' | 'sdkLimit'>): boolean {
  return verdict === 'failed' && sdkLimit === undefined;
}

function withLimit(result: CheckResult, sdk: Pick<OfficialSdk, 'limits'> | undefined): CheckResult {
  const limit = result.verdict === 'failed' ? sdk?.limits[result.id] : undefined;
  return limit === undefined ? result : { ...result, sdkLimit: limit };
}

/** A: nothing to fix. B: a few warnings. C: many warnings. D: errors in up to a tenth of the checks. F: more errors. */
function gradeOf({ passed, errors, warnings }: CheckCounts): Grade {
  if (errors === 0) return warnings === 0 ? 'A' : warnings <= FEW ? 'B' : 'C';
  return errors / (passed + errors + warnings) <= 0.1 ? 'D' : 'F';
}

const FEW = 3;

export function junitOf(report: CheckReport): string {
  const { plugin, dialect, results, counts, durationMs } = report;
  const name = escaped(`pluglot check ${plugin} (${dialect})`);
  const numbers = `tests="${results.length}" failures="${counts.errors}" skipped="${counts.doesNotApply + counts.sdkLimits}" time="${seconds(durationMs)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${name}" ${numbers}>`,
    `  <testsuite name="${name}" ${numbers}>`,
    ...results.flatMap((result) => testCase(result, dialect)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(result: CheckResult, dialect: string): string[] {
  const { id, title, theme, durationMs } = result;
  const className = escaped(`${dialect}.${theme}`);
  const attributes = `classname="${className}" name="${escaped(`${id}: ${title}`)}" time="${seconds(durationMs)}"`;
  const inside = insideOf(result);
  if (inside === undefined) return [`    <testcase ${attributes}/>`];
  return [`    <testcase ${attributes}>`, `      ${inside}`, '    </testcase>'];
}

/** Warnings are reported, but only errors fail a build. */
function insideOf({ verdict, severity, title, seen, fix, sdkLimit }: CheckResult): string | undefined {
  if (verdict === 'passed') return undefined;
  if (sdkLimit !== undefined) return `<skipped message="${escaped(`Limit of the SDK: ${sdkLimit}`)}"/>`;
  if (verdict === 'does-not-apply') return `<skipped message="${escaped(seen)}"/>`;
  const text = escaped(`${seen}\n\nTo fix it: ${fix}`);
  if (severity !== 'error') return `<system-out>${escaped(`${severity}: ${title}\n`)}${text}</system-out>`;
  return `<failure message="${escaped(title)}" type="${severity}">${text}</failure>`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

/** Characters that XML cannot express become the replacement character. */
function escaped(text: string): string {
  return text
    .replaceAll(NOT_IN_XML, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

// oxlint-disable-next-line no-control-regex -- they are what it looks for, and halves of characters
const NOT_IN_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;

export function badgeOf({ dialect, grade, counts }: CheckReport): string {
  const label = `pluglot · ${dialect}`;
  const total = counts.passed + counts.errors + counts.warnings + counts.hints;
  const value = `${grade}  ${counts.passed}/${total}`;
  const [left, right] = [widthOf(label), widthOf(value)];
  const width = left + right;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: grade ${grade}, ${counts.passed} of ${total} checks passed">
  <title>${label}: grade ${grade}, ${counts.passed} of ${total} checks passed</title>
  <linearGradient id="shade" x2="0" y2="100%"><stop offset="0" stop-color="#fff" stop-opacity=".12"/><stop offset="1" stop-opacity=".12"/></linearGradient>
  <clipPath id="round"><rect width="${width}" height="20" rx="4"/></clipPath>
  <g clip-path="url(#round)">
    <rect width="${left}" height="20" fill="#33373d"/>
    <rect x="${left}" width="${right}" height="20" fill="${colours[grade]}"/>
    <rect width="${width}" height="20" fill="url(#shade)"/>
  </g>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle" xml:space="preserve">
    <text x="${left / 2}" y="14">${label}</text>
    <text x="${left + right / 2}" y="14" font-weight="bold">${value}</text>
  </g>
</svg>
`;
}

const colours: Readonly<Record<Grade, string>> = {
  A: '#2e8b57',
  B: '#6a9a2d',
  C: '#b08a1e',
  D: '#c8662a',
  F: '#c23b3b',
};

/** The average width of the characters, and a margin. */
function widthOf(text: string): number {
  return Math.round(text.length * 6.8) + 14;
}
