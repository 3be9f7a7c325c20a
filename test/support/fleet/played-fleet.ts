// A fleet of plugins that a test plays itself, line by line, on a clock that stands still.
import { deferred } from '../../../src/base/async.ts';
import type { PluginSpec } from '../../../src/definition/plugin-spec.ts';
import type { HostDialect } from '../../../src/dialect/host-dialect.ts';
import { createFleet, type Fleet, type FleetOptions } from '../../../src/fleet/fleet.ts';
import type { Plugin } from '../../../src/fleet/plugin/plugin.ts';
import type { Launcher } from '../../../src/fleet/supervisor/launcher.ts';
import type { Exit } from '../../../src/fleet/supervisor/spawn.ts';
import { fakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';
import { onTestFinished } from 'vitest';
import { pipeAndRawEnd, type RawEnd } from '../channel/raw-end.ts';

export interface PlayedFleet {
  readonly fleet: Fleet;
  readonly clock: FakeClock;
  /** Starts a plugin, which answers the first questions of its host with these. */
  readonly introduced: (
    name: string,
    ...answers: readonly unknown[]
  ) => Promise<{ readonly plugin: Plugin; readonly raw: RawEnd }>;
}

export function playedFleet(
  dialect: HostDialect,
  specs: readonly Partial<PluginSpec>[] = [{}],
  options: Partial<FleetOptions> = {},
): PlayedFleet {
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
    dialects: { [dialect.name]: async () => dialect },
    specs: specs.map((spec) => ({
      name: 'played',
      dialect: dialect.name,
      start: { kind: 'program', command: 'played' } as const,
      ...spec,
    })),
    ...options,
  });
  onTestFinished(async () => {
    let isClosed = false;
    void fleet.close().then(() => (isClosed = true));
    // The test does not answer the shutdown request.
    while (!isClosed) {
      clock.advance(1000);
      await new Promise(setImmediate);
    }
  });
  return {
    fleet,
    clock,
    async introduced(name, ...answers) {
      const plugin = fleet.plugin(name);
      const started = plugin.start();
      while (!ends.has(name)) await new Promise(setImmediate);
      const raw = ends.get(name);
      if (raw === undefined) throw new Error('It was started.');
      for (const answer of answers) raw.answer((await raw.nextRequest()).id, answer);
      await started;
      return { plugin, raw };
    },
  };
}
