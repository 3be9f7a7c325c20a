// Every twin against all checks of its dialect: none but its own may complain of it.
import { afterAll } from 'vitest';
import { dialectNames } from '../../src/definition/plugin-spec.ts';
import { recordSoak } from '../support/soak-results.ts';
import { testTwins } from './twins.ts';
import { twinOptions } from './twin-options.ts';

const startedAt = performance.now();
let passed = 0;
const onPassed = () => {
  passed += 1;
};
const tests = dialectNames.map((dialect) => testTwins(dialect, { ...twinOptions[dialect], onPassed }));

afterAll(() => {
  if (passed < tests.reduce((sum, count) => sum + count, 0)) return;
  recordSoak({
    what: 'broken twins before all checks of their kind: requirements, or faults',
    count: passed,
    details: 'each fails its own check and no other, the well-behaved of each dialect none',
    durationMs: performance.now() - startedAt,
  });
});
