// docs/dialects/gevals.md and the sources say the same.
import { expect, test } from 'vitest';
import { errorCodes } from '../../src/base/error.ts';
import { codeOf, wireCodeOf, wireErrors } from '../../src/dialect/gevals/codes.ts';
import { gevals } from '../../src/dialect/gevals/host.ts';
import { LINE_LIMIT } from '../../src/dialect/gevals/line-limit.ts';
import { read } from '../support/markdown.ts';

const page = read('docs/dialects/gevals.md');

test('every number has its row, and every row its number', () => {
  const rows = [...page.matchAll(/^\| (-\d+) \| (.+) \| `(\w+)` \|$/gm)];
  expect(rows.map(([, wireCode, name, code]) => ({ wireCode: Number(wireCode), code, name }))).toEqual(
    wireErrors,
  );
});

test('numbers and codes lead to each other', () => {
  for (const { wireCode, code } of wireErrors) {
    expect(codeOf(wireCode)).toBe(code);
    expect(codeOf(wireCodeOf(code))).toBe(code);
  }
  expect(wireCodeOf('UNAVAILABLE')).toBe(-32000);
  expect(codeOf(-1)).toBe('TOOL_FAILED');
});

test('every code that is named exists', () => {
  const named = [...page.matchAll(/`([A-Z]+_[A-Z_]+|INTERNAL|TIMEOUT)`/g)].map(([, code = '']) => code);
  expect(named.filter((code) => !(code in errorCodes))).toEqual([]);
});

test('the limits are those of the dialect', () => {
  const { limits } = gevals.traits;
  expect(page).toContain(`| a line to the extension | ${LINE_LIMIT.toLocaleString('en-US')} bytes`);
  expect(page).toContain(`| ${limits.messageBytes / 1024 / 1024} MiB (\`limits.messageBytes\`) |`);
  for (const name of ['startMs', 'callMs', 'shutdownMs'] as const)
    expect(page).toContain(`| ${limits[name] / 1000} s (\`limits.${name}\`) |`);
});
