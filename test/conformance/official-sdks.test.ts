// Failures that the official SDK of a dialect causes are separated from those that an author can fix, and do not count in the grade.
import { expect, test } from 'vitest';
import { checksOf } from '../../src/conformance/dialects.ts';
import { officialSdks } from '../../src/conformance/official-sdks.ts';
import { checkPlugin } from '../../src/testing/check-plugin.ts';
import { dialectNames } from '../../src/definition/plugin-spec.ts';
import { fixture } from '../support/surface/command-line.ts';

/** What the SDKs leave unanswered is not waited for any longer than a busy machine needs. */
const limits = { answerMs: 2000, exitMs: 2000, checkMs: 20_000 };

test.for([
  ['gassist', 'gassist/like-the-python-sdk.py', 'the G-Assist SDK for Python', 'fault:sigterm'],
  ['gassist', 'gassist/like-the-node-sdk.mjs', 'the G-Assist SDK for Node.js or C++', 'fault:bad-json'],
  ['gevals', 'gevals/like-the-go-sdk.mjs', 'the gevals SDK for Go', 'gevals:categories:unknown-operation'],
  ['mcp', 'mcp/on-the-official-sdk.mjs', 'the MCP SDK for TypeScript', 'fault:wrong-params'],
] as const)(
  '%s: %s has limits of %s, and is graded without them',
  async ([dialect, file, sdk, limit], { expect }) => {
    const report = await checkPlugin({
      command: [file.endsWith('.py') ? 'python3' : 'node', fixture(file)],
      env: process.env,
      dialect,
      limits,
      only: Object.keys(officialSdks[dialect]?.find(({ name }) => name === sdk)?.limits ?? {}),
      tool: dialect === 'gevals' ? { tool: 'echo', args: {} } : undefined,
    });
    const failed = report.results.filter(({ verdict }) => verdict === 'failed');
    const authors = failed.filter(({ severity, sdkLimit }) => sdkLimit === undefined && severity !== 'info');
    expect(authors.map(({ id, seen }) => `${id}: ${seen}`)).toEqual([]);
    expect(failed.find(({ id }) => id === limit)?.sdkLimit).toMatch(/^[A-Z].*\.$/);
    expect(report).toMatchObject({ sdk, ok: true, grade: 'A', counts: { errors: 0, warnings: 0 } });
    expect(report.counts.sdkLimits).toBeGreaterThan(2);
  },
);

test('failures without an official SDK are for the author to fix', async () => {
  const { sdk, ok, counts } = await checkPlugin({
    command: ['node', fixture('twins/gevals.mjs'), 'fault:bad-json'],
    dialect: 'gevals',
    only: ['fault:bad-json'],
  });
  expect({ sdk, ok, counts }).toMatchObject({
    sdk: undefined,
    ok: false,
    counts: { errors: 1, sdkLimits: 0 },
  });
});

test('every limit is that of a check', () => {
  for (const dialect of dialectNames) {
    const ids = new Set(checksOf(dialect).map(({ id }) => id));
    for (const { limits: known } of officialSdks[dialect] ?? [])
      for (const id of Object.keys(known)) expect(ids, id).toContain(id);
  }
});
