// A fleet of real processes from test/plugins/, all gone when the test is over.
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { PluginSpec } from '../../../src/definition/plugin-spec.ts';
import { createFleet, type Fleet, type FleetOptions } from '../../../src/fleet/fleet.ts';
import type { Plugin } from '../../../src/fleet/plugin/plugin.ts';
import type { PluginState } from '../../../src/fleet/plugin/instances.ts';
import { createLauncher } from '../../../src/fleet/supervisor/process-launcher.ts';
import { root } from '../project.ts';
import { temporaryFolder } from '../temporary-folder.ts';

type SpecOptions = Omit<Partial<PluginSpec>, 'start'> & { readonly args?: readonly string[] };

export function specOf(file: string, { args = [], ...spec }: SpecOptions = {}): PluginSpec {
  return {
    name: path.basename(file, path.extname(file)),
    dialect: 'yams',
    start: { kind: 'program', command: path.join(root, 'test/plugins', file), args },
    ...spec,
    restart: { firstDelayMs: 1, ...spec.restart },
  };
}

export function realFleet(specs: readonly PluginSpec[], options: Partial<FleetOptions> = {}): Fleet {
  const launcher = createLauncher({
    env: process.env,
    stateFolder: temporaryFolder(),
    containment: 'group',
  });
  const fleet = createFleet({ launcher, specs, ...options });
  onTestFinished(async () => {
    await fleet.close();
    await launcher.close();
  });
  return fleet;
}

/** The first plugin of a fleet of its own. */
export function realPlugin(file: string, spec?: SpecOptions, options?: Partial<FleetOptions>): Plugin {
  const [plugin] = realFleet([specOf(file, spec)], options).plugins;
  if (plugin === undefined) throw new Error('A fleet without its plugin.');
  return plugin;
}

/** Resolves when the plugin comes to a state, from now on. */
export function comesTo(plugin: Plugin, state: PluginState): Promise<void> {
  return new Promise((resolve) => {
    const end = plugin.onEvent((event) => {
      if (event.kind !== 'state-changed' || event.state !== state) return;
      end();
      resolve();
    });
  });
}
