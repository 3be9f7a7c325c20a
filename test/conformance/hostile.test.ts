// Plugins that crash, hang, flood or will not go: their check ends, says what was wrong, and leaves no process behind.
import { expect, test } from 'vitest';
import { checkPlugin } from '../../src/testing/check-plugin.ts';
import { fixture } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';

/** Short: what is waited for here never comes, and whether something else comes too late does not matter. */
const limits = { startMs: 20_000, answerMs: 500, callMs: 1000, exitMs: 500, checkMs: 60_000 };

test.concurrent.for([
  ['gevals', 'gevals/hangs-in-execute.mjs'],
  ['gevals', 'gevals/floods-logs.mjs'],
  ['gevals', 'gevals/ignores-shutdown.mjs'],
  ['gassist', 'gassist/floods-streams.mjs'],
  ['yams', 'yams/starts-a-grandchild.mjs'],
  ['yams', 'yams/ignores-sigterm.mjs'],
  ['mcp', 'mcp/floods-list-changed.mjs'],
] as const)('%s: %s', async ([dialect, file], { expect }) => {
  const run = newRun();
  const report = await checkPlugin({
    command: [fixture(file), run],
    dialect,
    env: process.env,
    limits,
    tool: { tool: dialect === 'yams' ? 'extractor.extract' : 'run', args: {} },
    // Most of their time they wait for what does not come.
    concurrency: 8,
  });
  expect(report.results.length).toBeGreaterThan(15);
  expect(report.counts.errors).toBeGreaterThan(0);
  expect(survivors(run)).toEqual([]);
});

test.for([
  ['gevals/never-initializes.mjs', 1000, 'Expected an answer to initialize within 1 s; none came.'],
  ['gevals/crashes-at-start.mjs', 60_000, 'Expected an answer to initialize; the process exited with code'],
] as const)(
  'one that does not introduce itself cannot be checked: %s',
  async ([file, startMs, message], { expect }) => {
    const run = newRun();
    const checking = checkPlugin({
      command: ['node', fixture(file), run],
      dialect: 'gevals',
      limits: { startMs, answerMs: startMs },
    });
    await expect(checking).rejects.toThrow(message);
    await expect(checking).rejects.toMatchObject({ code: 'START_FAILED' });
    expect(survivors(run)).toEqual([]);
  },
);

test('given up in the middle, nothing is left', async () => {
  const run = newRun();
  const over = new AbortController();
  const checking = checkPlugin({
    command: ['node', fixture('twins/gevals.mjs'), 'none', run],
    dialect: 'gevals',
    signal: over.signal,
    onResult: () => over.abort(),
  });
  await expect(checking).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  expect(survivors(run)).toEqual([]);
});

test('the dialect is found out by asking where it is not named', async () => {
  const report = await checkPlugin({
    command: ['node', fixture('twins/mcp.mjs')],
    only: ['fault:two-calls', 'fault:*-tool'],
  });
  expect(report).toMatchObject({ dialect: 'mcp', plugin: 'mcp.mjs', grade: 'A' });
  expect(report.results.map(({ id }) => id)).toEqual(['fault:unknown-tool', 'fault:two-calls']);
});
