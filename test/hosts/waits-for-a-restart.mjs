// node waits-for-a-restart.mjs PLUGIN STATE calls a plugin that has just crashed and is to be started again in a second, with nothing
// else to do meanwhile, and prints what came of it.
import process from 'node:process';
import { createFleet, createLauncher } from '../../dist/index.js';

const [, , command = '', stateFolder = ''] = process.argv;
const launcher = createLauncher({ env: process.env, stateFolder, containment: 'group' });
const fleet = createFleet({
  launcher,
  random: () => 1,
  specs: [
    { name: 'plugin', dialect: 'yams', restart: { firstDelayMs: 1000 }, start: { kind: 'program', command } },
  ],
});
const plugin = fleet.plugin('plugin');
await plugin.call('exit');
const { ok } = await plugin.call('echo');
process.stdout.write(`the call was ${ok ? 'answered' : 'lost'}`);
await fleet.close();
await launcher.close();
