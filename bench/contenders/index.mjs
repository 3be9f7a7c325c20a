// Who is measured. Adding a contender = a host end, a child end, and one line here.

/**
 * One running child with its host end.
 * @typedef {object} Connection
 * @property {(params: unknown) => PromiseLike<unknown>} call the child answers with its params
 * @property {(answer: unknown) => unknown} [read] what the child answered, where `call` gives more than that
 * @property {((count: number) => Promise<number>) | undefined} stream the child sends that many notifications; seconds until the last is here
 * @property {() => void | Promise<void>} close
 * @property {number} pid
 */

/**
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} label
 * @property {'us' | 'json' | 'limit' | 'fleet' | 'bare' | 'sdk' | 'cli' | 'node' | 'registry' | 'few' | 'endpoint' | 'gateway'} kind the json ones are what payload speed is compared with; the limit carries no JSON at all
 * @property {boolean} installed needs a package of bench/package.json
 * @property {string} host the module of the host end, beside this one; it exports `start()`
 * @property {string[]} [options] handed to `start()`
 */

/** @type {readonly Contender[]} */
export const contenders = [
  {
    id: 'pluglot-lines',
    label: 'pluglot, lines',
    kind: 'us',
    installed: false,
    host: './pluglot.mjs',
    options: ['lines'],
  },
  {
    id: 'pluglot-length-prefix',
    label: 'pluglot, length-prefix',
    kind: 'us',
    installed: false,
    host: './pluglot.mjs',
    options: ['length-prefix'],
  },
  { id: 'minimal', label: 'minimal lines loop', kind: 'json', installed: false, host: './minimal.mjs' },
  { id: 'ipc', label: 'child_process IPC', kind: 'json', installed: false, host: './ipc.mjs' },
  {
    id: 'json-rpc-2.0',
    label: 'json-rpc-2.0',
    kind: 'json',
    installed: true,
    host: '../peers/json-rpc-2.0.mjs',
  },
  {
    id: 'vscode-jsonrpc',
    label: 'vscode-jsonrpc',
    kind: 'json',
    installed: true,
    host: '../peers/vscode-jsonrpc.mjs',
  },
  { id: 'mcp-1', label: 'MCP SDK 1.x', kind: 'json', installed: true, host: '../peers/mcp-1.mjs' },
  {
    id: 'mcp-2',
    label: 'MCP client + server 2.x',
    kind: 'json',
    installed: true,
    host: '../peers/mcp-2.mjs',
  },
  { id: 'raw', label: 'raw byte echo (limit)', kind: 'limit', installed: false, host: './raw.mjs' },
];

/**
 * Those of the section `fleet`, which measures nobody else.
 * @type {readonly Contender[]}
 */
export const fleetContenders = [
  { id: 'fleet', label: 'pluglot, the fleet', kind: 'fleet', installed: false, host: './fleet.mjs' },
  {
    id: 'bare-peer',
    label: 'bare peer, bare processes',
    kind: 'bare',
    installed: false,
    host: './bare-peer.mjs',
  },
];

/**
 * Those of the section `sdk`: programs that are started and end at once.
 * @type {readonly Contender[]}
 */
export const startContenders = [
  { id: 'sdk', label: 'pluglot/sdk imported', kind: 'sdk', installed: false, host: './imports-sdk.mjs' },
  { id: 'bare-node', label: 'bare Node', kind: 'node', installed: false, host: './imports-nothing.mjs' },
];

/**
 * Those of the section `cli`, which starts them itself.
 * @type {readonly Contender[]}
 */
export const cliContenders = [
  { id: 'cli', label: 'pluglot, the command', kind: 'cli', installed: false, host: '' },
  { id: 'bare-node', label: 'node -e 0', kind: 'node', installed: false, host: '' },
];

/**
 * Those of the section `registry`: the same host with few plugins and with many.
 * @type {readonly Contender[]}
 */
export const registryContenders = [
  {
    id: 'many-tools',
    label: '1,000 plugins, 10,000 tools',
    kind: 'registry',
    installed: false,
    host: './registry.mjs',
    options: ['1000'],
  },
  {
    id: 'few-tools',
    label: '10 plugins, 100 tools',
    kind: 'few',
    installed: false,
    host: './registry.mjs',
    options: ['10'],
  },
];

/**
 * Those of the section `endpoint`: gateways from Streamable HTTP to one MCP server of stdio.
 * @type {readonly Contender[]}
 */
export const endpointContenders = [
  {
    id: 'endpoint',
    label: 'pluglot, /mcp',
    kind: 'endpoint',
    installed: false,
    host: './gateway.mjs',
    options: ['pluglot'],
  },
  {
    id: 'mcp-proxy',
    label: 'mcp-proxy',
    kind: 'gateway',
    installed: true,
    host: './gateway.mjs',
    options: ['mcp-proxy'],
  },
  {
    id: 'supergateway',
    label: 'supergateway',
    kind: 'gateway',
    installed: true,
    host: './gateway.mjs',
    options: ['supergateway'],
  },
];

/**
 * @typedef {object} Loaded
 * @property {() => Promise<Connection>} start
 * @property {((name: string) => number | Promise<number>) | undefined} figure what only this contender can measure, by name
 * @property {((count: number) => Promise<number>) | undefined} startMany milliseconds until so many children have answered
 */

/**
 * @param {string} id
 * @returns {Promise<Loaded>}
 */
export async function loadContender(id) {
  const all = [...contenders, ...fleetContenders, ...registryContenders, ...endpointContenders];
  const contender = all.find((candidate) => candidate.id === id);
  if (contender === undefined)
    throw new Error(`No contender "${id}"; there are ${all.map((each) => each.id).join(', ')}.`);
  // Imported on demand, so that one process carries one contender's modules only.
  const { start, startMany, figure } =
    /** @type {{ start: (...options: string[]) => Connection | Promise<Connection>, startMany?: Loaded['startMany'], figure?: Loaded['figure'] }} */ (
      await import(new URL(contender.host, import.meta.url).href)
    );
  return { start: async () => start(...(contender.options ?? [])), startMany, figure };
}
