// node --expose-gc many-tool-calls.mjs DIALECT COUNT calls a tool of a served definition so often, all in this process, and prints as
// JSON by how much the heap has grown.
import { systemClock } from '../../dist/base/clock.js';
import { framedLink, lengthPrefix, linkedPipes, lines, Peer } from '../../dist/channel/index.js';
import { runDefinition } from '../../dist/definition/run/run-definition.js';
import { authorDialects } from '../../dist/dialect/authors.js';
import { definePlugin } from '../../dist/sdk/index.js';

const [, , dialect = 'mcp', count = '1000'] = process.argv;

/** @type {Readonly<Record<string, readonly [method: string, params: object]>>} */
const calls = {
  gassist: ['execute', { function: 'echo', arguments: {} }],
  gevals: ['execute', { operation: 'echo', args: {}, context: {} }],
  mcp: ['tools/call', { name: 'echo', arguments: {} }],
  planner: ['execute_task', { task_type: 'analysis', prompt: 'echo', options: { tool: 'echo' } }],
  yams: ['echo', {}],
};
const [method, params] = calls[dialect] ?? fail(`no dialect ${dialect}`);
const author =
  (await Object.entries(authorDialects).find(([name]) => name === dialect)?.[1]()) ??
  fail(`no author end of ${dialect}`);

const definition = definePlugin({
  name: 'echoes',
  version: '1.0.0',
  tools: { echo: { handler: (_, { stream }) => stream('echo') } },
});
const backend = runDefinition(definition, {
  clock: systemClock,
  dataFolder: () => fail('no data'),
  hasCommand: () => true,
  readFile: () => fail('no files'),
  log: () => {},
});
const [left, right] = linkedPipes();
const served = author.serve(right, backend, { clock: systemClock, print: fail });
const host = new Peer(framedLink(left, dialect === 'gassist' ? lengthPrefix() : lines()));
/** G-Assist ends a call by a notification. */
let completed = () => {};
host.onNotification('complete', () => completed());
const alive = setInterval(() => {}, 1000);

if (dialect === 'mcp') {
  const clientInfo = { name: 'many', version: '1.0.0' };
  await host.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  host.notify('notifications/initialized');
}
if (dialect === 'yams') await host.request('plugin.init', { config: {} });
// What compilation and first growth take belongs to the start.
await call(3000);
const before = heap();
await call(Number(count));
console.log(JSON.stringify({ grownKiB: Math.round((heap() - before) / 1024) }));

await host.close();
await served.over;
clearInterval(alive);

/** @param {number} times */
async function call(times) {
  for (let done = 0; done < times; done += 1) {
    if (dialect !== 'gassist') await host.request(method, params);
    else
      await new Promise((/** @type {(value: void) => void} */ resolve) => {
        completed = resolve;
        host.open(method, params).settle(undefined);
      });
  }
}

function heap() {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** @returns {never} */
function fail(/** @type {string} */ message) {
  throw new Error(message);
}
