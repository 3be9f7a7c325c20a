// A host with many plugins in its own process, from the built package: what a name, a rule and an audit line cost, whatever their number.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import {
  createFleet,
  createGate,
  createLauncher,
  createPolicy,
  createRegistry,
  openAudit,
} from '../../dist/index.js';
import { definePlugin } from '../../dist/sdk/index.js';

const TOOLS = 10;
const CALLED = 100;
const IN_FLIGHT = 64;
const BATCHES = 20;
const input = /** @type {const} */ ({ type: 'object', properties: { hello: { type: 'string' } } });

/** @type {import('../../dist/index.js').Registry | undefined} */
let registry;
/** @type {{ call(params: unknown): import('../../dist/index.js').Call } | undefined} */
let connection;

/** @param {string} plugins how many, of ten tools each */
export async function start(plugins) {
  const stateFolder = mkdtempSync(path.join(tmpdir(), 'pluglot-bench-'));
  process.once('exit', () => rmSync(stateFolder, { recursive: true, force: true }));
  const env = { PATH: process.env['PATH'] };
  const fleet = createFleet({ launcher: createLauncher({ env, stateFolder }) });
  registry = createRegistry({ fleet, env, stateFolder });
  const gate = createGate({
    source: registry,
    policy: createPolicy({ cwd: stateFolder, home: stateFolder }),
    audit: openAudit({ folder: path.join(stateFolder, 'audit') }),
  });
  gate.policy.session.setDefault('allow');
  registry.useGate(gate);
  for (let index = 0; index < Number(plugins); index++) registry.registerPlugin(pluginOf(index));
  const failures = await registry.exposeAll();
  const [failure] = failures;
  if (failure !== undefined) throw failure.error;
  let turn = 0;
  const made = {
    pid: process.pid,
    call(/** @type {unknown} */ params) {
      // Every call another one of a hundred tools, spread over all plugins: the check of a schema is made when its tool is first called,
      // and is not what is measured.
      turn = (turn + 37) % CALLED;
      const tool = turn * ((Number(plugins) * TOOLS) / CALLED);
      const name = toolOf(Math.floor(tool / TOOLS), tool % TOOLS);
      return gate.call(name, /** @type {{}} */ (params), { caller: { kind: 'model' } });
    },
    read: (/** @type {unknown} */ outcome) => /** @type {{ data: unknown }} */ (outcome).data,
    stream: undefined,
    close: () => fleet.close(),
  };
  connection = made;
  return made;
}

/**
 * `calls`: through the gate, per second. `list`: milliseconds for one list of all declarations.
 * @param {string} name
 */
export async function figure(name) {
  if (connection === undefined || registry === undefined) throw new Error('There is no registry yet.');
  const begin = performance.now();
  if (name === 'list') {
    const found = registry.getExposedDeclarations();
    if (found.length === 0) throw new Error('An empty list.');
    return performance.now() - begin;
  }
  for (let batch = 0; batch < BATCHES; batch++) {
    const from = connection;
    const outcomes = await Promise.all(
      Array.from({ length: IN_FLIGHT }, () => from.call({ hello: 'x' }).outcome),
    );
    const failed = outcomes.find(({ ok }) => !ok);
    if (failed !== undefined) throw new Error(`A call failed: ${JSON.stringify(failed)}`);
  }
  return (BATCHES * IN_FLIGHT * 1000) / (performance.now() - begin);
}

/** @param {number} index */
function pluginOf(index) {
  const tools = Array.from({ length: TOOLS }, (_, number) => [
    toolOf(index, number),
    { description: 'Answers with what it is told', input, handler: (/** @type {unknown} */ args) => args },
  ]);
  const byName = /** @type {Record<string, {}>} */ (Object.fromEntries(tools));
  return definePlugin({ name: `plugin-${index}`, version: '1.0.0', tools: /** @type {{}} */ (byName) });
}

/**
 * @param {number} plugin
 * @param {number} number
 */
function toolOf(plugin, number) {
  return `tool_${plugin}_${number}`;
}
