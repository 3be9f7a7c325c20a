// A tenth of test/fleet/chaos.soak.ts.
import { expect, test } from 'vitest';
import { chaosLauncher, problemsIn } from './chaos-check.ts';
import { seed } from '../support/seed.ts';
import { runChaos } from './chaos.ts';

test('6 s of random calls and blows: every call ends in its time, every plugin comes back or is given up with a reason, nothing is left', async () => {
  const launcher = chaosLauncher();
  const report = await runChaos({
    seed: seed(),
    durationMs: 6000,
    atLeast: { calls: 100, blows: 40, givenUp: 2 },
    launcher,
  });
  expect(problemsIn(report)).toEqual([]);
});
