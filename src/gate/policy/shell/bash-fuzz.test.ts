import { expect, test } from 'vitest';
import { bash, fuzzBash, markedBy } from '../../../../test/support/bash-fuzz.ts';
import { seed } from '../../../../test/support/seed.ts';
import { shellScripts } from '../../../../test/support/shell-scripts.ts';

test.skipIf(bash === undefined)(
  'of random scripts, bash runs nothing that no rule names (skipped where there is no bash)',
  async () => {
    const { tried, ran, holes } = await fuzzBash(bash ?? '', { seed: seed(), count: 400, limitMs: 20_000 });
    expect(holes).toEqual([]);
    expect(tried).toBeGreaterThan(100);
    expect(ran).toBeGreaterThan(0);
  },
);

test('the same seed gives the same scripts', () => {
  const some = (of: number) => {
    const scripts = shellScripts(of);
    return Array.from({ length: 50 }, () => scripts.next().value);
  };
  expect(some(7)).toEqual(some(7));
  expect(some(7)).not.toEqual(some(8));
});

test.skipIf(bash === undefined)('a hole would be seen', () => {
  expect(markedBy(bash ?? '', 'echo $(mk)')).toBe('mk\n');
  expect(markedBy(bash ?? '', 'echo mk; cat mk; true')).toBe('');
});
