// A report as JUnit XML, for the machines that build other people's software.
import type { CheckReport, CheckResult } from '../report.ts';

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

/** What should be fixed is told, but only what has to be fails a build. */
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

/** Plugins write anything; characters that XML has no form for become the one that says so. */
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
