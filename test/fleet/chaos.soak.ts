import { expect, test } from 'vitest';
import { chaosLauncher, problemsIn, tooMuch } from './chaos-check.ts';
import { growth, memoryInUse, type MemoryInUse } from './memory-in-use.ts';
import { seed } from '../support/seed.ts';
import { recordSoak } from '../support/soak-results.ts';
import { runChaos } from './chaos.ts';

const ROUNDS = 10;

test('10 minutes of chaos, one after the other, each with a seed of its own', async () => {
  const first = seed();
  const total = { calls: 0, blows: 0, restarts: 0, givenUp: 0, heapMiB: 0, residentMiB: 0 };
  const inUse: MemoryInUse[] = [];
  const startedAt = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) {
    const roundSeed = (first + round) >>> 0;
    console.log(`chaos: seed ${roundSeed}`);
    const launcher = chaosLauncher();
    const report = await runChaos({
      seed: roundSeed,
      durationMs: 60_000,
      atLeast: { calls: 1000, blows: 100, givenUp: 10 },
      launcher,
    });
    const { states: _, givenUp, ...rest } = report;
    console.log(
      JSON.stringify({ ...rest, givenUp: givenUp.length, containment: await launcher.containment() }),
    );
    expect(problemsIn(report)).toEqual([]);
    total.calls += report.calls;
    total.blows += report.blows;
    total.restarts += report.restarts;
    total.givenUp += givenUp.length;
    total.heapMiB = Math.max(total.heapMiB, report.grown.heapMiB);
    total.residentMiB = Math.max(total.residentMiB, report.grown.residentMiB);
    inUse.push(memoryInUse());
  }
  // The first may still fill what is kept; from then on nine more leave no more than one.
  const [settled = memoryInUse()] = inUse;
  const overall = growth(settled, inUse.at(-1) ?? settled);
  expect(tooMuch(overall)).toEqual([]);
  recordSoak({
    what: 'chaos: calls to 20 plugins of all five dialects that are killed, stopped and flooded at random, in 10 rounds of a minute',
    count: total.calls,
    details: `first seed ${first}, ${total.blows} blows, ${total.restarts} restarts, ${total.givenUp} times given up with a reason and started again, every call within its limit, but for what this process itself was held up; heap +${total.heapMiB.toFixed(1)} MiB and process +${total.residentMiB.toFixed(1)} MiB at most in a round, ${overall.residentMiB.toFixed(1)} MiB in all after the first; 0 survivors`,
    durationMs: performance.now() - startedAt,
  });
});
