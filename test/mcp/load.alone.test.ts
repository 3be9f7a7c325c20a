// A tenth of the soak: 20 clients of every kind at once, on plugins of all dialects that are killed at random.
import { expect, test } from 'vitest';
import { seed } from '../support/seed.ts';
import { problemsIn, runLoad } from './load.ts';

test('twenty clients at once and killed plugins: every call ends, and nothing is left of them', async () => {
  const report = await runLoad({ seed: seed(), clients: 20, callsEach: 10, sessionIdleMs: 2500 });
  expect(problemsIn(report, 6 * 1024), JSON.stringify(report)).toEqual([]);
  expect(report.kills).toBeGreaterThan(0);
  expect(report.left).toBeGreaterThan(0);
});
