// node blocked-host.mjs PLUGINS STATE MILLISECONDS runs a plugin of each dialect, is blocked for so long in the middle of pings, a call
// and a start that all have shorter limits, and prints as JSON what became of them.
import path from 'node:path';
import process from 'node:process';
import { createFleet, createLauncher } from '../../dist/index.js';

const [, , plugins = '', stateFolder = '', milliseconds = '5000'] = process.argv;

const launcher = createLauncher({ env: process.env, stateFolder, containment: 'group' });
const limits = { pingEveryMs: 100, pingMs: 500, startMs: 60_000, cancelMs: 2000 };

/**
 * @param {string} name
 * @param {import('../../dist/index.js').DialectName} dialect
 * @param {string} file
 */
function specOf(name, dialect, file) {
  const command = path.join(plugins, file);
  return { name, dialect, limits, start: { kind: /** @type {const} */ ('program'), command } };
}

const fleet = createFleet({
  launcher,
  specs: [
    specOf('yams', 'yams', 'fleet/does-as-told.mjs'),
    specOf('gassist', 'gassist', 'gassist/well-behaved.mjs'),
    specOf('gevals', 'gevals', 'gevals/files.mjs'),
    specOf('mcp', 'mcp', 'mcp/well-behaved.mjs'),
  ],
});
/** @type {string[]} */
const events = [];
await fleet.start();
fleet.onEvent((event) => {
  if (event.kind === 'state-changed')
    events.push(`${event.plugin}: ${event.state} ${event.reason?.code ?? ''}`);
});
const starting = fleet.add({
  ...specOf('starting', 'yams', 'fleet/does-as-told.mjs'),
  limits: { ...limits, startMs: 4000 },
});
const cancelled = fleet.add(specOf('cancelled', 'yams', 'fleet/does-as-told.mjs'));
await cancelled.start();

// Pings of the idle ones are under way at any moment from now on.
await new Promise((resolve) => setTimeout(resolve, 300));
const call = fleet.plugin('yams').call('spin', { ms: 1000 }, { timeoutMs: 2000 });
const given_up = cancelled.call('spin', { ms: 1000 });
await new Promise((resolve) => setTimeout(resolve, 50));
given_up.cancel();
const started = starting.start().then(
  () => 'ready',
  (/** @type {Error} */ error) => error.message,
);
// Until the process is there.
while (starting.status.pids.length === 0) await new Promise((resolve) => setImmediate(resolve));

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(milliseconds));

const outcome = await call;
const start = await started;
// Time for the pings that were under way to be judged.
await new Promise((resolve) => setTimeout(resolve, 1500));
const states = fleet.plugins.map(({ name, status }) => ({
  name,
  state: status.state,
  restarts: status.restarts,
}));
process.stdout.write(JSON.stringify({ outcome, start, states, events }));
await fleet.close();
await launcher.close();
