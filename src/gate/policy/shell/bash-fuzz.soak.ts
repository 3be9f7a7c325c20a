import { expect, test } from 'vitest';
import { bash, fuzzBash } from '../../../../test/support/gate/bash-fuzz.ts';
import { seed } from '../../../../test/support/seed.ts';
import { recordSoak } from '../../../../test/support/soak-results.ts';

const COUNT = 500_000;

test.skipIf(bash === undefined)(
  'what is read as literal is what bash makes of it (skipped where there is no bash)',
  () => {
    console.log(`seed ${seed()} (PLUGLOT_SEED=${seed()} brings it back)`);
    const startedAt = performance.now();
    const { tried, compared, holes } = fuzzBash(bash ?? '', { seed: seed(), count: COUNT });
    expect(holes).toEqual([]);
    recordSoak({
      what: 'random command lines and words, those that are literal in a real bash',
      count: tried,
      details: `seed ${seed()}, ${compared} read as literal, ${holes.length} read otherwise by bash`,
      durationMs: performance.now() - startedAt,
    });
  },
  1_200_000,
);
