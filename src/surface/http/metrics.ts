// The metrics of a host, in the text format of Prometheus.
import type { PluginView, RuntimeApi } from '../../runtime/api.ts';
import { durationBounds, type CallStats } from '../../runtime/views/call-stats.ts';
import type { OpenCalls, OpenStreams } from './open-work.ts';

export interface MetricParts {
  readonly api: RuntimeApi & { readonly stats?: CallStats };
  readonly counts: HttpCounts;
  readonly calls: OpenCalls;
  readonly streams: OpenStreams;
}

/** So many plugins have lines of their own. */
const PLUGINS_MAX = 1000;
const states = [
  'starting',
  'ready',
  'busy',
  'unhealthy',
  'backoff',
  'stopping',
  'stopped',
  'failed',
  'disabled',
];

export async function metricsText({ api, counts, calls, streams }: MetricParts): Promise<string> {
  const [{ version, uptimeMs }, { plugins }] = await Promise.all([api.health(), api.plugins()]);
  const writer = new MetricWriter();
  writer.family('pluglot_info', 'gauge', 'The version that runs.');
  writer.sample('pluglot_info', { version }, 1);
  writer.single('pluglot_uptime_seconds', 'gauge', 'Since the host was started.', uptimeMs / 1000);
  if (api.stats !== undefined) writeCalls(writer, api.stats);
  writePlugins(writer, plugins.slice(0, PLUGINS_MAX));
  writer.family(
    'pluglot_http_requests_total',
    'counter',
    'Requests that were answered, by route and status.',
  );
  for (const { labels, count } of counts.all) writer.sample('pluglot_http_requests_total', labels, count);
  writer.single('pluglot_http_calls', 'gauge', 'Calls that clients of the API wait for.', calls.size);
  writer.single('pluglot_http_streams', 'gauge', 'Clients that follow events or logs.', streams.size);
  writeProcess(writer);
  return writer.text();
}

function writeCalls(writer: MetricWriter, stats: CallStats): void {
  writer.family('pluglot_calls_total', 'counter', 'Calls that were made, by plugin, tool and outcome.');
  for (const { plugin, tool, outcomes } of stats.tools)
    for (const [outcome, count] of outcomes)
      writer.sample('pluglot_calls_total', { plugin, tool, outcome }, count);
  writer.family('pluglot_calls_refused_total', 'counter', 'Calls that were not made, by the reason.');
  for (const [code, count] of stats.refused) writer.sample('pluglot_calls_refused_total', { code }, count);
  const name = 'pluglot_call_duration_seconds';
  writer.family(name, 'histogram', 'How long calls took, by plugin.');
  for (const [plugin, { durations, seconds }] of stats.plugins)
    writer.histogram(name, { plugin }, durationBounds, durations, seconds);
}

function writePlugins(writer: MetricWriter, plugins: readonly PluginView[]): void {
  const gauges: readonly [string, string, (plugin: PluginView) => number][] = [
    ['pluglot_plugin_calls_running', 'Calls that a plugin works on.', ({ stats }) => stats.running],
    ['pluglot_plugin_calls_waiting', 'Calls that wait for their turn.', ({ stats }) => stats.waiting],
    ['pluglot_plugin_processes', 'Processes of a plugin.', ({ pids }) => pids.length],
  ];
  for (const [name, help, value] of gauges) {
    writer.family(name, 'gauge', help);
    for (const plugin of plugins) writer.sample(name, { plugin: plugin.name }, value(plugin));
  }
  writer.family('pluglot_plugin_restarts_total', 'counter', 'How often processes were started again.');
  for (const { name, restarts } of plugins)
    writer.sample('pluglot_plugin_restarts_total', { plugin: name }, restarts);
  writer.family('pluglot_plugin_state', 'gauge', '1 for the state that a plugin is in.');
  for (const { name, state } of plugins)
    for (const one of states)
      writer.sample('pluglot_plugin_state', { plugin: name, state: one }, one === state ? 1 : 0);
}

/** Under the names that dashboards know. */
function writeProcess(writer: MetricWriter): void {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  writer.single(
    'process_cpu_seconds_total',
    'counter',
    'Processor time that was used.',
    (user + system) / 1e6,
  );
  writer.single('process_resident_memory_bytes', 'gauge', 'Memory of the process.', rss);
  writer.single('nodejs_heap_size_used_bytes', 'gauge', 'Memory that JavaScript uses.', heapUsed);
  writer.single(
    'process_start_time_seconds',
    'gauge',
    'When the process was started, since 1970.',
    Math.round(Date.now() / 1000 - process.uptime()),
  );
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);

/** Requests by route and status; unknown addresses are counted as one. */
export class HttpCounts {
  readonly #counts = new Map<string, { readonly labels: Readonly<Record<string, string>>; count: number }>();

  /** `route` is the pattern, of which there are few. */
  answered(method: string, route: string, status: number): void {
    const labels = { method: METHODS.has(method) ? method : 'other', route, status: String(status) };
    const key = Object.values(labels).join(' ');
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { labels, count: 1 });
    else known.count += 1;
  }

  get all(): Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly count: number }> {
    return this.#counts.values();
  }
}

type Labels = Readonly<Record<string, string>>;

export class MetricWriter {
  readonly #lines: string[] = [];

  /** Begins a family: what follows belongs to it. */
  family(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }

  /** A family with one sample. */
  single(name: string, type: 'counter' | 'gauge', help: string, value: number): void {
    this.family(name, type, help);
    this.sample(name, {}, value);
  }

  sample(name: string, labels: Labels, value: number): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    this.#lines.push(`${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberOf(value)}`);
  }

  /** `counts` by bound, not added up; one more than there are bounds, for all others. */
  histogram(
    name: string,
    labels: Labels,
    bounds: readonly number[],
    counts: readonly number[],
    sum: number,
  ): void {
    let total = 0;
    for (const [at, bound] of bounds.entries()) {
      total += counts[at] ?? 0;
      this.sample(`${name}_bucket`, { ...labels, le: String(bound) }, total);
    }
    total += counts[bounds.length] ?? 0;
    this.sample(`${name}_bucket`, { ...labels, le: '+Inf' }, total);
    this.sample(`${name}_sum`, labels, sum);
    this.sample(`${name}_count`, labels, total);
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberOf(value: number): string {
  return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
