// A fleet of one plugin, with real processes; all of it is gone when the test is over.
import { onTestFinished } from 'vitest';
import type { Message, Received } from '../../../src/channel/message/message.ts';
import type { PluginSpec } from '../../../src/definition/plugin-spec.ts';
import { createFleet } from '../../../src/fleet/fleet.ts';
import type { Plugin } from '../../../src/fleet/plugin/plugin.ts';
import { createLauncher } from '../../../src/fleet/supervisor/process-launcher.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export function fleetOf(spec: PluginSpec): Plugin {
  const launcher = createLauncher({
    env: process.env,
    stateFolder: temporaryFolder(),
    containment: 'group',
  });
  const fleet = createFleet({ specs: [spec], launcher });
  onTestFinished(async () => {
    await fleet.close();
    await launcher.close();
  });
  return fleet.plugin(spec.name);
}

/** The requests of this method that are sent from now on. */
export function sentOf(plugin: Plugin, method: string): (Message | Received)[] {
  const sent: (Message | Received)[] = [];
  plugin.observe((direction, message) => {
    if (direction === 'sent' && message.kind === 'request' && message.method === method) sent.push(message);
  });
  return sent;
}
