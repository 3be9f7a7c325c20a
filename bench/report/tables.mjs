// The tables of a run as plain cells; the terminal and results.md lay them out.
import {
  endpointContenders,
  fleetContenders,
  registryContenders,
  startContenders,
  cliContenders,
} from '../contenders/index.mjs';
import { hardestPeer } from '../gate.mjs';
import { payloadSizes } from '../values.mjs';

/** @typedef {import('../contenders/index.mjs').Contender} Contender */
/** @typedef {import('../measure.mjs').Run} Run */
/** @typedef {{ title: string, note: string, columns: string[], rows: { contender: Contender, cells: string[] }[] }} Table */
/** @typedef {[head: string, cell: (contender: Contender) => string]} Column */

/**
 * @param {Run} run
 * @returns {Table[]}
 */
export function tables(run) {
  const { samples, contenders, sections, plan } = run;

  /**
   * @param {string} head
   * @param {string} metric
   * @param {(value: number) => string} format
   * @param {boolean} [withSpread]
   * @returns {Column}
   */
  const value = (head, metric, format, withSpread = true) => [
    head,
    ({ id }) => {
      const summary = samples.summary(metric, id);
      if (summary === undefined) return samples.failure(metric, id) === undefined ? '–' : 'failed';
      if (!withSpread || summary.windows === 1) return format(summary.median);
      return `${format(summary.median)} ±${Math.round(summary.spread * 50)}%`;
    },
  ];
  /**
   * @param {string} head
   * @param {string} metric
   * @param {string} other
   * @returns {Column}
   */
  const times = (head, metric, other) => [
    head,
    ({ id }) => formatTimes(hardestPeer(samples, metric, id, other)?.ratio),
  ];

  /** @type {{ section: string, title: string, note: string, columns: Column[], of?: readonly Contender[] }[]} */
  const layouts = [
    {
      section: 'small',
      title: 'Small calls',
      note: 'About 120 bytes each way. Alone: one call after the other; then calls/s.',
      columns: [
        value('alone p50', 'alone-p50', formatMicroseconds),
        value('p99', 'alone-p99', formatMicroseconds, false),
        value('64 at once', 'calls-64', formatCount),
        value('1024 at once', 'calls-1024', formatCount),
        times('x minimal', 'calls-1024', 'minimal'),
        times('x vscode', 'calls-1024', 'vscode-jsonrpc'),
        times('x MCP 1', 'calls-1024', 'mcp-1'),
      ],
    },
    {
      section: 'payload',
      title: 'Payloads, MB/s',
      note: 'Records of text and numbers there and back, counted once. Best: the best other JSON contender at that size.',
      columns: payloadSizes.flatMap(({ id, label }) => [
        value(label, `payload-${id}`, formatSpeed),
        times('x best', `payload-${id}`, 'best-json'),
      ]),
    },
    {
      section: 'notifications',
      title: 'Notifications, child to host',
      note: 'About 120 bytes each, as fast as the child can.',
      columns: [
        value('per second', 'notifications', formatCount),
        times('x minimal', 'notifications', 'minimal'),
      ],
    },
    {
      section: 'children',
      title: `${plan.children} children at once`,
      note: 'Small calls/s over all children, 16 in flight to each.',
      columns: [value('calls/s', 'children', formatCount), times('x minimal', 'children', 'minimal')],
    },
    {
      section: 'memory',
      title: 'Memory of the host, KiB',
      note: `Per idle connection, with ${plan.idleConnections}. Resident: all above plain Node, shared out; bare pipes beside our loaded library.`,
      columns: [
        value('JS heap each', 'heap', formatKibibytes),
        times('x minimal', 'heap', 'minimal'),
        value('resident each', 'resident', formatKibibytes),
        times('x bare', 'resident', 'raw'),
        value('library, once', 'library', formatWhole),
      ],
    },
    {
      section: 'fleet',
      title: 'The fleet',
      note: 'Small calls/s, 64 in flight, through supervisor, dialect and checks of arguments; milliseconds until 20 plugins are ready.',
      of: fleetContenders,
      columns: [
        value('calls/s', 'fleet-calls', formatCount),
        times('x bare', 'fleet-calls', 'bare-peer'),
        value('20 started', 'fleet-start', formatMilliseconds),
        times('x bare', 'fleet-start', 'bare-peer'),
      ],
    },
    {
      section: 'sdk',
      title: 'Starting a plugin',
      note: 'Milliseconds from the start to the exit of a process that imports the SDK and does nothing.',
      of: startContenders,
      columns: [
        value('start to exit', 'sdk-start', formatMilliseconds),
        times('x bare', 'sdk-start', 'bare-node'),
      ],
    },
    {
      section: 'cli',
      title: 'Commands',
      note: 'Milliseconds from start to exit: `pluglot --help`; `pluglot call` with a plugin of its own, whose dialect it detects; the same call beside `pluglot up`.',
      of: cliContenders,
      columns: [
        value('--help', 'cli-help', formatMilliseconds),
        times('x node', 'cli-help', 'bare-node'),
        value('call', 'cli-call', formatMilliseconds),
        times('x node', 'cli-call', 'bare-node'),
        value('attached', 'cli-attached', formatMilliseconds),
        times('x node', 'cli-attached', 'bare-node'),
      ],
    },
    {
      section: 'registry',
      title: 'Many plugins',
      note: 'Calls/s of tools in this process, 64 in flight, through registry and gate: name, arguments, rules, audit. Milliseconds for a list of all tools.',
      of: registryContenders,
      columns: [
        value('calls/s', 'registry-calls', formatCount),
        times('x few', 'registry-calls', 'few-tools'),
        value('list', 'registry-list', formatMilliseconds),
      ],
    },
    {
      section: 'endpoint',
      title: 'Gateways: MCP over HTTP',
      note: 'Tool calls of clients over Streamable HTTP to an MCP server of stdio behind each, one under way of each client. Ours goes through token, gate and audit; supergateway starts a server for each client.',
      of: endpointContenders,
      columns: [
        value('1 client, calls/s', 'endpoint-calls-1', formatWhole),
        value('p50', 'endpoint-p50-1', formatTenths, false),
        value('p99', 'endpoint-p99-1', formatTenths, false),
        value('32 clients, calls/s', 'endpoint-calls-32', formatWhole),
        value('p50', 'endpoint-p50-32', formatTenths, false),
        value('p99', 'endpoint-p99-32', formatTenths, false),
        times('x mcp-proxy', 'endpoint-calls-32', 'mcp-proxy'),
        times('x supergateway', 'endpoint-calls-32', 'supergateway'),
      ],
    },
  ];

  return layouts
    .filter(({ section }) => sections.some((each) => each === section))
    .map(({ title, note, columns, of = contenders }) => ({
      title,
      note,
      columns: columns.map(([head]) => head),
      rows: of.map((contender) => ({ contender, cells: columns.map(([, cell]) => cell(contender)) })),
    }));
}

/** @param {number | undefined} ratio */
export function formatTimes(ratio) {
  if (ratio === undefined || Number.isNaN(ratio)) return '–';
  return `${ratio.toFixed(ratio < 10 ? 2 : 1)}x`;
}

/** @param {number} value */
export function formatCount(value) {
  const thousands = value / 1000;
  return `${thousands < 100 ? thousands.toFixed(1) : Math.round(thousands).toLocaleString('en-US')}k`;
}

/** @param {number} value */
const formatMicroseconds = (value) => `${Math.round(value)} µs`;
/** @param {number} value */
const formatMilliseconds = (value) => `${Math.round(value)} ms`;
/** @param {number} value */
const formatTenths = (value) => `${value.toFixed(1)} ms`;
/** @param {number} value */
const formatKibibytes = (value) => value.toFixed(1);
/** @param {number} value */
const formatWhole = (value) => Math.round(value).toLocaleString('en-US');
/** @param {number} value */
const formatSpeed = (value) => value.toFixed(value < 10 ? 1 : 0);
