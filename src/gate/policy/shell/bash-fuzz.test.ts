import { expect, test } from 'vitest';
import { bash, fuzzBash, randomTexts } from '../../../../test/support/gate/bash-fuzz.ts';
import { seed } from '../../../../test/support/seed.ts';

test.skipIf(bash === undefined)(
  'what is read as literal is what bash makes of it: words, order and exit code (skipped where there is no bash)',
  () => {
    const { compared, holes } = fuzzBash(bash ?? '', { seed: seed(), count: 50_000 });
    expect(holes.slice(0, 10)).toEqual([]);
    expect(compared).toBeGreaterThan(20_000);
  },
  300_000,
);

test('the same seed gives the same texts', () => {
  const some = (of: number) => {
    const texts = randomTexts(of);
    return Array.from({ length: 50 }, () => texts.next().value);
  };
  expect(some(7)).toEqual(some(7));
  expect(some(7)).not.toEqual(some(8));
});
