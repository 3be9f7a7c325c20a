import { describe, expect, test } from 'vitest';
import { makeReport, type CheckReport, type CheckResult } from '../../../conformance/report.ts';
import { scorecard } from './check.ts';
import { createTerminals } from '../terminal.ts';

const good: CheckResult = {
  id: 'gevals:manifest:name',
  title: 'The manifest has a name',
  theme: 'Manifest',
  severity: 'error',
  fix: 'Give it a name.',
  verdict: 'passed',
  seen: 'name is "files"',
  durationMs: 1,
};
const bad: CheckResult = {
  ...good,
  id: 'fault:bad-json',
  title: 'A message that is not JSON does not end the plugin',
  theme: 'Framing',
  fix: 'Catch what the JSON parser throws, answer with -32700, and go on.',
  verdict: 'failed',
  seen: `Expected a sign of life; the process exited with code 1.\n→ {"jsonrpc": \u001B[31m${'x'.repeat(100)}\n! SyntaxError`,
};
const results = [
  good,
  { ...good, verdict: 'does-not-apply' as const },
  good,
  bad,
  { ...bad, severity: 'warning' as const, seen: 'Nothing.' },
];

test('a row of marks for each theme, and what failed in full', () => {
  expect(shown(0)).toEqual([
    'files  checked as gevals, called by its tool create',
    '',
    '  Manifest  ✓–✓  2',
    '  Framing   ✗!  0 of 2',
    '    ✗ A message that is not JSON does not end the plugin  fault:bad-json',
    '      seen  Expected a sign of life; the process exited with code 1.',
    `            → {"jsonrpc": \\x1b[31m${'x'.repeat(45)}…`,
    '            ! SyntaxError',
    '      fix   Catch what the JSON parser throws, answer with -32700, and go on.',
    '    ! A message that is not JSON does not end the plugin  fault:bad-json',
    '      seen  Nothing.',
    '      fix   Catch what the JSON parser throws, answer with -32700, and go on.',
    '',
    '  Grade F  2 passed · 1 error · 1 warning · 1 not applicable · 2.3 s',
  ]);
});

describe('verbosity', () => {
  test('-q: the last line alone', () => {
    expect(shown(-1)).toEqual(['  Grade F  2 passed · 1 error · 1 warning · 1 not applicable · 2.3 s']);
  });

  test('-v: all checks; -vv: what was seen in each', () => {
    expect(shown(1).filter((line) => line.includes('The manifest has a name'))).toHaveLength(3);
    expect(shown(1).join('\n')).not.toContain('name is "files"');
    expect(shown(2).join('\n')).toContain('name is "files"');
  });
});

test('what no plugin on the SDK passes stands apart', () => {
  const limited = { ...bad, sdkLimit: 'It exits at what it cannot parse.' };
  const report = makeReport({ plugin: 'files', dialect: 'gevals', durationMs: 2345 }, [good, bad], {
    name: 'the gevals SDK for Go',
    limits: { [bad.id]: limited.sdkLimit },
  });
  expect(shownReport(report, 0)).toEqual([
    'files  checked as gevals',
    '',
    '  Manifest  ✓  1',
    '  Framing   ~  0',
    '',
    '  Limits of the gevals SDK for Go: no plugin on it passes these, so they are not',
    '  graded',
    '    ~ A message that is not JSON does not end the plugin',
    '      It exits at what it cannot parse.',
    '',
    '  Grade A  1 passed · 1 limit of the SDK · 2.3 s',
  ]);
});

test('an id that does not fit behind its title stands below it', () => {
  const [head, id] = shown(0, [{ ...bad, title: 'x'.repeat(70) }]).slice(3);
  expect(head).toBe(`    ✗ ${'x'.repeat(70)}`);
  expect(id).toBe('      fault:bad-json');
});

test.each([40, 60, 80])('nothing is wider than %d columns', (columns) => {
  const many = Array.from({ length: 45 }, () => good);
  const lines = shown(2, [...results, ...many], columns);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns);
  expect(
    lines
      .filter((line) => line.includes('✓✓✓'))
      .join('')
      .replaceAll(/[^✓]/g, ''),
  ).toHaveLength(47);
});

function shown(verbosity: number, some: readonly CheckResult[] = results, columns = 80): string[] {
  const about = { plugin: 'files', dialect: 'gevals', tool: 'create', durationMs: 2345 } as const;
  return shownReport(makeReport(about, some), verbosity, columns);
}

function shownReport(report: CheckReport, verbosity: number, columns = 80): string[] {
  const { stdout, stderr } = process;
  const { out } = createTerminals({ stdout, stderr, env: { NO_COLOR: '1', TERM: 'dumb' } });
  return scorecard(report, { ...out, columns }, verbosity);
}
