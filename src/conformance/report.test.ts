import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { badgeOf, junitOf, makeReport, type CheckReport, type CheckResult } from './report.ts';

const good: CheckResult = {
  id: 'fault:bad-json',
  title: 'It lives on',
  theme: 'Framing',
  severity: 'error',
  fix: 'Catch it.',
  verdict: 'passed',
  seen: 'It did.',
  durationMs: 1234,
};
const bad: CheckResult = { ...good, verdict: 'failed', seen: 'It <died> & "left"' };
const odd: CheckResult = { ...bad, severity: 'warning' };

describe('the sum of it', () => {
  test.each([
    [[good], 'A', true],
    [[good, { ...bad, severity: 'info' as const }], 'A', true],
    [[good, odd, odd, odd], 'B', true],
    [[good, odd, odd, odd, odd], 'C', true],
    [[...Array.from({ length: 9 }, () => good), bad], 'D', false],
    [[good, bad], 'F', false],
  ])('%#: grade', (results, grade, ok) => {
    expect(report(results)).toMatchObject({ grade, ok });
  });

  test('counts', () => {
    const results = [
      good,
      bad,
      odd,
      { ...bad, severity: 'info' as const },
      { ...good, verdict: 'does-not-apply' as const },
    ];
    expect(report(results).counts).toEqual({
      passed: 1,
      errors: 1,
      warnings: 1,
      hints: 1,
      sdkLimits: 0,
      doesNotApply: 1,
    });
  });
});

test('a limit of the SDK is counted apart, and skipped for build machines', () => {
  const about = { plugin: 'files', dialect: 'gevals', durationMs: 1 } as const;
  const sdk = { name: 'the SDK', limits: { [bad.id]: 'It exits.' } };
  const limited = makeReport(about, [good, bad], sdk);
  expect(limited).toMatchObject({
    sdk: 'the SDK',
    grade: 'A',
    ok: true,
    counts: { errors: 0, sdkLimits: 1 },
  });
  expect(junitOf(limited)).toContain('failures="0" skipped="1"');
  expect(junitOf(limited)).toContain('<skipped message="Limit of the SDK: It exits."/>');
  expect(badgeOf(limited)).toContain('1 of 1 checks passed');
  expect(makeReport(about, [good], sdk)).not.toHaveProperty('sdk');
});

describe('JUnit', () => {
  test('errors are failures, what does not apply is skipped, the rest is listed', () => {
    const text = junitOf(report([good, bad, odd, { ...good, verdict: 'does-not-apply' }]));
    expect(text).toContain('tests="4" failures="1" skipped="1"');
    expect(text).toContain(
      '<testcase classname="gevals.Framing" name="fault:bad-json: It lives on" time="1.234"/>',
    );
    expect(text).toContain(
      '<failure message="It lives on" type="error">It &lt;died&gt; &amp; &quot;left&quot;\n\nTo fix it: Catch it.</failure>',
    );
    expect(text.match(/<system-out>/g)).toHaveLength(1);
    expect(text.match(/<skipped /g)).toHaveLength(1);
    expect(isWellFormed(text)).toBe(true);
  });

  test('whatever a plugin says, it is XML', () => {
    fc.assert(
      fc.property(anyText, anyText, (seen, plugin) => {
        expect(
          isWellFormed(
            junitOf({
              ...report([
                { ...bad, seen },
                { ...odd, seen },
              ]),
              plugin,
            }),
          ),
        ).toBe(true);
      }),
    );
    expect(isWellFormed(junitOf(report([{ ...bad, seen: '\u0000\u001B[31m\uD800' }])))).toBe(true);
  });
});

test('a badge has the dialect, the grade and the count, and is XML', () => {
  const svg = badgeOf(report([good, odd]));
  expect(svg).toContain('pluglot · gevals: grade B, 1 of 2 checks passed');
  expect(isWellFormed(svg)).toBe(true);
  expect(badgeOf(report([bad]))).not.toContain(/fill="(#\w+)"/.exec(svg.split('<rect x=')[1] ?? '')?.[1]);
});

/** Control characters and halves of characters included. */
const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));

function report(results: readonly CheckResult[]): CheckReport {
  return makeReport({ plugin: 'files', dialect: 'gevals', tool: 'create', durationMs: 2000 }, results);
}

/** Tags that are closed in order, and no character in between that XML does not know. */
function isWellFormed(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what it looks for
  if (/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u.test(text)) return false;
  const open: string[] = [];
  const rest = text.replaceAll(
    /<(\/?)(\??[a-zA-Z][\w-]*)((?:\s+[\w:-]+="[^"<>]*")*)\s*([/?]?)>/g,
    (_, close, name, __, alone) => {
      if (close === '/') return open.pop() === name ? '' : '<';
      if (alone === '') open.push(String(name));
      return '';
    },
  );
  return open.length === 0 && !/[<>]|&(?!(?:amp|lt|gt|quot);)/.test(rest);
}
