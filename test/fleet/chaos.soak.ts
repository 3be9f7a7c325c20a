import { expect, test } from 'vitest';
import { chaosLauncher, problemsIn } from '../support/chaos-check.ts';
import { seed } from '../support/seed.ts';
import { recordSoak } from '../support/soak-results.ts';
import { runChaos } from './chaos.ts';

test('10 minutes of chaos, one after the other, each with a seed of its own', async () => {
  const first = seed();
  const total = { calls: 0, blows: 0, restarts: 0, heapGrowthMiB: 0 };
  const startedAt = performance.now();
  for (let round = 0; round < 10; round += 1) {
    const roundSeed = (first + round) >>> 0;
    console.log(`chaos: seed ${roundSeed}`);
    const launcher = chaosLauncher();
    const report = await runChaos({
      seed: roundSeed,
      durationMs: 60_000,
      atLeast: { calls: 1000, blows: 100 },
      launcher,
    });
    console.log(JSON.stringify({ ...report, states: undefined, containment: await launcher.containment() }));
    expect(problemsIn(report)).toEqual([]);
    total.calls += report.calls;
    total.blows += report.blows;
    total.restarts += report.restarts;
    total.heapGrowthMiB = Math.max(total.heapGrowthMiB, report.heapGrowthMiB);
  }
  recordSoak({
    what: 'chaos: calls to 20 plugins of four dialects that are killed, stopped and flooded at random, in 10 rounds of a minute',
    count: total.calls,
    details: `first seed ${first}, ${total.blows} blows, ${total.restarts} restarts, heap +${total.heapGrowthMiB.toFixed(1)} MiB at most, 0 survivors`,
    durationMs: performance.now() - startedAt,
  });
});
