// What our peer, complete and on both ends, promises beside the others. `npm run bench -- --gate` holds us to it,
// in both framings.

/**
 * @typedef {object} Promised
 * @property {string} text
 * @property {string} metric
 * @property {'us' | 'fleet' | 'sdk' | 'cli' | 'registry' | 'endpoint'} [of] who promises it; both framings of our peer when it is left out
 * @property {string} [against] a contender, or `best-json`: whichever JSON peer is hardest to match; without it the value itself counts
 * @property {number} [atLeast]
 * @property {number} [atMost]
 * @property {number} [below]
 */

/** @type {readonly Promised[]} */
export const promises = [
  {
    text: '1024 in flight: at least 10x vscode-jsonrpc',
    metric: 'calls-1024',
    against: 'vscode-jsonrpc',
    atLeast: 10,
  },
  { text: '1024 in flight: at least 7x MCP SDK 1.x', metric: 'calls-1024', against: 'mcp-1', atLeast: 7 },
  {
    text: '1024 in flight: at least 1.7x the minimal loop',
    metric: 'calls-1024',
    against: 'minimal',
    atLeast: 1.7,
  },
  {
    text: 'alone: p50 within 1.2x of the minimal loop',
    metric: 'alone-p50',
    against: 'minimal',
    atMost: 1.2,
  },
  {
    text: '1 KiB payloads: at least 0.95x the best JSON peer',
    metric: 'payload-1KiB',
    against: 'best-json',
    atLeast: 0.95,
  },
  {
    text: '64 KiB payloads: at least 0.95x the best JSON peer',
    metric: 'payload-64KiB',
    against: 'best-json',
    atLeast: 0.95,
  },
  {
    text: '1 MiB payloads: at least 0.95x the best JSON peer',
    metric: 'payload-1MiB',
    against: 'best-json',
    atLeast: 0.95,
  },
  {
    text: '8 MiB payloads: at least 0.95x the best JSON peer',
    metric: 'payload-8MiB',
    against: 'best-json',
    atLeast: 0.95,
  },
  {
    text: 'notifications: at least 2.5x the minimal loop',
    metric: 'notifications',
    against: 'minimal',
    atLeast: 2.5,
  },
  {
    text: '50 children: at least 1.2x the minimal loop',
    metric: 'children',
    against: 'minimal',
    atLeast: 1.2,
  },
  {
    text: 'a call through the fleet, 64 in flight: at most 1.5x a bare peer',
    metric: 'fleet-calls',
    of: 'fleet',
    against: 'bare-peer',
    atLeast: 1 / 1.5,
  },
  {
    text: '20 plugins ready: within 1.3x of 20 bare processes',
    metric: 'fleet-start',
    of: 'fleet',
    against: 'bare-peer',
    atMost: 1.3,
  },
  {
    text: "import 'pluglot/sdk': a process of at most 1.25x bare Node",
    metric: 'sdk-start',
    of: 'sdk',
    against: 'bare-node',
    atMost: 1.25,
  },
  {
    text: '`pluglot --help`: at most 1.4x `node -e 0`',
    metric: 'cli-help',
    of: 'cli',
    against: 'bare-node',
    atMost: 1.4,
  },
  {
    text: '`pluglot call` with a plugin of its own: at most 5.7x `node -e 0`',
    metric: 'cli-call',
    of: 'cli',
    against: 'bare-node',
    atMost: 5.7,
  },
  {
    text: '`pluglot call` beside `pluglot up`: at most 2x `node -e 0`',
    metric: 'cli-attached',
    of: 'cli',
    against: 'bare-node',
    atMost: 2,
  },
  {
    text: 'a gated call among 10,000 tools: at least 0.7x of one among 100',
    metric: 'registry-calls',
    of: 'registry',
    against: 'few-tools',
    atLeast: 0.7,
  },
  { text: 'a list of 10,000 tools: under 50 ms', metric: 'registry-list', of: 'registry', below: 50 },
  {
    text: '/mcp, 1 client: at least as many calls as mcp-proxy',
    metric: 'endpoint-calls-1',
    of: 'endpoint',
    against: 'mcp-proxy',
    atLeast: 1,
  },
  {
    text: '/mcp, 1 client: at least as many calls as supergateway',
    metric: 'endpoint-calls-1',
    of: 'endpoint',
    against: 'supergateway',
    atLeast: 1,
  },
  {
    text: '/mcp, 32 clients: at least 1.3x mcp-proxy',
    metric: 'endpoint-calls-32',
    of: 'endpoint',
    against: 'mcp-proxy',
    atLeast: 1.3,
  },
  {
    text: '/mcp, 32 clients: at least 1.8x supergateway',
    metric: 'endpoint-calls-32',
    of: 'endpoint',
    against: 'supergateway',
    atLeast: 1.8,
  },
  { text: 'JS heap per idle connection: under 20 KiB', metric: 'heap', below: 20 },
  {
    text: 'resident per idle connection: within 1.3x of bare pipes',
    metric: 'resident',
    against: 'raw',
    atMost: 1.3,
  },
];
