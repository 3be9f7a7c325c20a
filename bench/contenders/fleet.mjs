// The whole fleet on our own channel: supervisor, dialect and checks of arguments, from the built package.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { createFleet, createLauncher } from '../../dist/index.js';
import { childArguments, endChild, watchOver } from './child.mjs';

const [command = ''] = childArguments('fleet-child.mjs');
const stateFolder = mkdtempSync(path.join(tmpdir(), 'pluglot-bench-'));
process.once('exit', () => rmSync(stateFolder, { recursive: true, force: true }));
// The same environment for everyone: certificates, for one, can double the time that Node needs to start.
const launcher = createLauncher({ env: { PATH: process.env['PATH'] }, stateFolder });

export async function start() {
  const fleet = fleetOf(1);
  await fleet.start();
  const [plugin] = fleet.plugins;
  if (plugin === undefined) throw new Error('A fleet without its plugin.');
  const pid = watchOver(plugin.status.pids[0]);
  return {
    pid,
    call: (/** @type {unknown} */ params) => plugin.call('echo', /** @type {{}} */ (params)),
    read: (/** @type {unknown} */ outcome) => /** @type {{ data: unknown }} */ (outcome).data,
    stream: undefined,
    close: () => endChild(pid),
  };
}

/**
 * Milliseconds until so many have introduced themselves.
 * @param {number} count
 */
export async function startMany(count) {
  const begin = performance.now();
  const fleet = fleetOf(count);
  await fleet.start();
  const taken = performance.now() - begin;
  const lame = fleet.plugins.find(({ status }) => status.state !== 'ready');
  if (lame !== undefined) throw new Error(`A plugin is ${lame.status.state}: ${lame.status.reason?.message}`);
  await fleet.close();
  return taken;
}

/** @param {number} count */
function fleetOf(count) {
  const specs = Array.from({ length: count }, (_, index) => ({
    name: `plugin-${index}`,
    dialect: /** @type {const} */ ('yams'),
    concurrency: 64,
    start: { kind: /** @type {const} */ ('program'), command },
  }));
  return createFleet({ launcher, specs });
}
