// All checks of every dialect on plugins of every other that are served in it.
import { afterAll, expect, test } from 'vitest';
import { dialectNames } from '../../src/definition/plugin-spec.ts';
import { failedChecks } from './checked-pair.ts';
import { recordSoak } from '../support/soak-results.ts';

const pairs = dialectNames.flatMap((source) => dialectNames.map((target) => [source, target] as const));
const startedAt = performance.now();
const passedChecks: number[] = [];

test.each(pairs)('%s as %s', async (source, target) => {
  const { failed, passed } = await failedChecks(source, target);
  expect(failed).toEqual([]);
  passedChecks.push(passed);
});

afterAll(() => {
  if (passedChecks.length < pairs.length) return;
  recordSoak({
    what: 'all checks of each dialect on plugins of all dialects that are served in it',
    count: passedChecks.reduce((sum, passed) => sum + passed, 0),
    details: `checks passed by ${pairs.length} pairs, no errors or warnings`,
    durationMs: performance.now() - startedAt,
  });
});
