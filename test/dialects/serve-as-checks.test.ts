// A plugin that is served in another dialect passes the checks of that dialect, as docs/serve-as.md says.
// All faults in all pairs are the soak's: here each dialect is held to all of it once, and all pairs to the demands of the specification.
import { describe, expect, test } from 'vitest';
import { dialectNames, type DialectName } from '../../src/definition/plugin-spec.ts';
import { failedChecks } from './checked-pair.ts';

/** Each target with a source that is not like it. */
const wholly: readonly (readonly [DialectName, DialectName])[] = [
  ['yams', 'gassist'],
  ['planner', 'gevals'],
  ['gassist', 'mcp'],
  ['mcp', 'planner'],
  ['gevals', 'yams'],
];

describe('all checks', () => {
  test.each(wholly)('%s as %s', async (source, target) => {
    const { failed, passed } = await failedChecks(source, target);
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(20);
  });
});

describe('what the specification demands', () => {
  const others = dialectNames.flatMap((source) =>
    dialectNames.map((target) => [source, target] as const).filter((pair) => !isIn(wholly, pair)),
  );
  test.each(others)('%s as %s', async (source, target) => {
    const { failed, passed } = await failedChecks(source, target, `${target}:`);
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(5);
  });
});

function isIn(pairs: typeof wholly, [source, target]: readonly [DialectName, DialectName]): boolean {
  return pairs.some((pair) => pair[0] === source && pair[1] === target);
}
