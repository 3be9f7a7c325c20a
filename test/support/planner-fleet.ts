// A fleet of planners and executors that a test plays itself, line by line, on a clock that stands still.
import { deferred } from '../../src/base/deferred.ts';
import type { PluginSpec } from '../../src/definition/plugin-spec.ts';
import { planner } from '../../src/dialect/planner/host.ts';
import { createFleet, type Fleet, type FleetOptions } from '../../src/fleet/fleet.ts';
import type { Plugin } from '../../src/fleet/plugin/plugin.ts';
import type { Launcher } from '../../src/fleet/supervisor/launcher.ts';
import type { Exit } from '../../src/fleet/supervisor/spawn.ts';
import { fakeClock, type FakeClock } from '../../src/testing/fake-clock.ts';
import { onTestFinished } from 'vitest';
import { pipeAndRawEnd, type RawEnd } from './raw-end.ts';

export interface PlannerFleet {
  readonly fleet: Fleet;
  readonly clock: FakeClock;
  /** Starts a plugin, which says this of itself. */
  readonly introduced: (
    name: string,
    discovery?: object,
  ) => Promise<{ readonly plugin: Plugin; readonly raw: RawEnd }>;
}

export function plannerFleet(
  specs: readonly Partial<PluginSpec>[] = [{}],
  options: Partial<FleetOptions> = {},
): PlannerFleet {
  const clock = fakeClock();
  const ends = new Map<string, RawEnd>();
  const launcher: Launcher = {
    async launch({ name }) {
      const { pipe, raw } = pipeAndRawEnd('lines');
      const exited = deferred<Exit>();
      ends.set(name, raw);
      const end = () => {
        pipe.destroy();
        exited.resolve({ kind: 'exited', exitCode: 0, signal: null, stderr: '' });
      };
      return {
        pid: 1,
        pipe,
        exited: exited.promise,
        gone: exited.promise.then(() => {}),
        stderr: () => '',
        isStopped: () => false,
        async stop() {
          end();
          return exited.promise;
        },
        signal: end,
      };
    },
    containment: async () => 'group',
    hasCommand: () => true,
    close: async () => {},
  };
  const fleet = createFleet({
    launcher,
    clock,
    random: () => 1,
    dialects: { planner: async () => planner },
    specs: specs.map((spec) => ({
      name: 'coder',
      dialect: 'planner' as const,
      start: { kind: 'program', command: 'played' } as const,
      ...spec,
    })),
    ...options,
  });
  onTestFinished(() => fleet.close());
  return {
    fleet,
    clock,
    async introduced(name, discovery = { roles: ['planner', 'executor'], batch: true }) {
      const plugin = fleet.plugin(name);
      const started = plugin.start();
      while (!ends.has(name)) await new Promise(setImmediate);
      const raw = ends.get(name);
      if (raw === undefined) throw new Error('It was started.');
      raw.answer((await raw.nextRequest()).id, discovery);
      await started;
      return { plugin, raw };
    },
  };
}
