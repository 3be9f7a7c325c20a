// The twenty plugins of the chaos: four of each dialect, in Node and for planners in Python too, and one of each that is soon given up.
import path from 'node:path';
import { dialectNames, type DialectName, type PluginSpec } from '../../src/definition/plugin-spec.ts';
import { root } from '../support/project.ts';
import { hasPython } from '../support/python.ts';

const OF_EACH = 4;

export interface ChaosPlugin {
  readonly spec: PluginSpec;
  /** It may fail twice, and is given up the third time; the others may fail as often as they are struck. */
  readonly hasSmallBudget: boolean;
}

/** @param mark an entry of the environment, by which all their processes are found */
export function chaosPlugins(mark: string): readonly ChaosPlugin[] {
  return dialectNames.flatMap((dialect) =>
    Array.from({ length: OF_EACH }, (_, index) => pluginOf(dialect, index, mark)),
  );
}

function pluginOf(dialect: DialectName, index: number, mark: string): ChaosPlugin {
  const [name = '', value = ''] = mark.split('=');
  const hasSmallBudget = index === OF_EACH - 1;
  const isPython = dialect === 'planner' && index % 2 === 1 && hasPython;
  const file = path.join(root, `test/plugins/chaos/${dialect}.${isPython ? 'py' : 'mjs'}`);
  const spec: PluginSpec = {
    name: `${dialect}-${index}`,
    dialect,
    start: {
      kind: 'program',
      command: isPython ? 'python3' : process.execPath,
      args: [file],
      env: { [name]: value },
    },
    limits: { pingEveryMs: 500, pingMs: 1000, cancelMs: 500, shutdownMs: 500, termMs: 500 },
    // Blows are many more than any plugin would earn by itself.
    restart: { max: hasSmallBudget ? 2 : 1_000_000, firstDelayMs: 50, maxDelayMs: 500 },
  };
  return { spec, hasSmallBudget };
}
