import { expect, test } from 'vitest';
import { bash, fuzzBash } from '../../../../test/support/bash-fuzz.ts';
import { seed } from '../../../../test/support/seed.ts';
import { recordSoak } from '../../../../test/support/soak-results.ts';

const COUNT = 200_000;
const LIMIT_MS = 5 * 60_000;

test.skipIf(bash === undefined)(
  'of random scripts, bash runs nothing that no rule names (skipped where there is no bash)',
  async () => {
    console.log(`seed ${seed()} (PLUGLOT_SEED=${seed()} brings it back)`);
    const startedAt = performance.now();
    const { tried, allowed, ran, holes } = await fuzzBash(bash ?? '', {
      seed: seed(),
      count: COUNT,
      limitMs: LIMIT_MS,
    });
    expect(holes).toEqual([]);
    expect(ran).toBeGreaterThan(0);
    recordSoak({
      what: 'random shell scripts before the policy, those that it allows in a real bash',
      count: tried,
      details: `seed ${seed()}, ${allowed} allowed, ${ran} of them run by bash, ${holes.length} ran what no rule names`,
      durationMs: performance.now() - startedAt,
    });
  },
);
