import { expect, test } from 'vitest';
import { seed } from '../support/seed.ts';
import { recordSoak } from '../support/soak-results.ts';
import { fuzz, fuzzFirst } from './fuzz.ts';

test('1,000,000 random and damaged inputs break nothing', () => {
  const startedAt = performance.now();
  const { inputs, bytes, bodies } = fuzz({ seed: seed(), first: fuzzFirst(), count: 1_000_000 });
  expect(inputs).toBe(1_000_000);
  recordSoak({
    what: 'random and damaged inputs through both framings and the message decoder',
    count: inputs,
    details: `seed ${seed()}, ${Math.round(bytes / 1e6)} MB, ${bodies} bodies`,
    durationMs: performance.now() - startedAt,
  });
});
