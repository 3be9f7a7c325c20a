// All checks of every dialect on plugins of every other that are served in it.
import { expect, test } from 'vitest';
import { dialectNames } from '../../src/definition/plugin-spec.ts';
import { failedChecks } from '../support/checked-pair.ts';

const pairs = dialectNames.flatMap((source) => dialectNames.map((target) => [source, target] as const));

test.each(pairs)('%s as %s', async (source, target) => {
  expect((await failedChecks(source, target)).failed).toEqual([]);
});
