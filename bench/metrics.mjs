// What is measured, and the samples.
import { pairedRatio, quantile, spread } from './statistics.mjs';
import { payloadSizes } from './values.mjs';

/**
 * @typedef {object} Metric
 * @property {string} id
 * @property {import('./options.mjs').Section} section
 * @property {string} label
 * @property {'µs' | 'calls/s' | 'MB/s' | 'notifications/s' | 'KiB' | 'ms'} unit
 * @property {'higher' | 'lower'} better
 */

/** @type {readonly Metric[]} */
export const metrics = [
  { id: 'alone-p50', section: 'small', label: 'small call alone, p50', unit: 'µs', better: 'lower' },
  { id: 'alone-p99', section: 'small', label: 'small call alone, p99', unit: 'µs', better: 'lower' },
  { id: 'calls-64', section: 'small', label: 'small calls, 64 in flight', unit: 'calls/s', better: 'higher' },
  {
    id: 'calls-1024',
    section: 'small',
    label: 'small calls, 1024 in flight',
    unit: 'calls/s',
    better: 'higher',
  },
  ...payloadSizes.map(
    ({ id, label }) =>
      /** @type {const} */ ({
        id: `payload-${id}`,
        section: 'payload',
        label: `${label} payload`,
        unit: 'MB/s',
        better: 'higher',
      }),
  ),
  {
    id: 'notifications',
    section: 'notifications',
    label: 'notifications, child to host',
    unit: 'notifications/s',
    better: 'higher',
  },
  { id: 'children', section: 'children', label: '50 children at once', unit: 'calls/s', better: 'higher' },
  { id: 'heap', section: 'memory', label: 'JS heap per idle connection', unit: 'KiB', better: 'lower' },
  {
    id: 'resident',
    section: 'memory',
    label: 'resident memory per idle connection',
    unit: 'KiB',
    better: 'lower',
  },
  {
    id: 'fleet-calls',
    section: 'fleet',
    label: 'calls through the fleet, 64 in flight',
    unit: 'calls/s',
    better: 'higher',
  },
  {
    id: 'fleet-start',
    section: 'fleet',
    label: '20 plugins started at once',
    unit: 'ms',
    better: 'lower',
  },
  {
    id: 'sdk-start',
    section: 'sdk',
    label: 'process that imports the SDK, start to exit',
    unit: 'ms',
    better: 'lower',
  },
  { id: 'cli-help', section: 'cli', label: 'pluglot --help, start to exit', unit: 'ms', better: 'lower' },
  {
    id: 'cli-call',
    section: 'cli',
    label: 'pluglot call with a plugin of its own, start to exit',
    unit: 'ms',
    better: 'lower',
  },
  {
    id: 'cli-attached',
    section: 'cli',
    label: 'pluglot call beside pluglot up, start to exit',
    unit: 'ms',
    better: 'lower',
  },
  {
    id: 'registry-calls',
    section: 'registry',
    label: 'gated calls in one process, 64 in flight',
    unit: 'calls/s',
    better: 'higher',
  },
  {
    id: 'registry-list',
    section: 'registry',
    label: 'a list of all tools',
    unit: 'ms',
    better: 'lower',
  },
  ...[1, 32].flatMap((clients) => {
    const who = clients === 1 ? '1 client' : `${clients} clients`;
    return /** @type {const} */ ([
      {
        id: `endpoint-calls-${clients}`,
        section: 'endpoint',
        label: `tool calls over Streamable HTTP, ${who}`,
        unit: 'calls/s',
        better: 'higher',
      },
      {
        id: `endpoint-p50-${clients}`,
        section: 'endpoint',
        label: `a tool call over Streamable HTTP, ${who}, p50`,
        unit: 'ms',
        better: 'lower',
      },
      {
        id: `endpoint-p99-${clients}`,
        section: 'endpoint',
        label: `a tool call over Streamable HTTP, ${who}, p99`,
        unit: 'ms',
        better: 'lower',
      },
    ]);
  }),
  {
    id: 'library',
    section: 'memory',
    label: 'resident memory of the loaded library',
    unit: 'KiB',
    better: 'lower',
  },
];

const roundsOfAPass = 1000;

export class Samples {
  /** @type {Map<string, Map<number, number>>} */
  #series = new Map();
  /** @type {Map<string, string>} */
  #failures = new Map();
  #pass = 0;

  /** What is added from now on stands beside what was measured before, as further rounds. */
  beginPass() {
    this.#pass++;
  }

  /**
   * @param {string} metric
   * @param {string} contender
   * @param {number} round
   * @param {number} value
   */
  add(metric, contender, round, value) {
    const key = `${metric} ${contender}`;
    const series = this.#series.get(key) ?? /** @type {Map<number, number>} */ (new Map());
    this.#series.set(key, series.set(this.#pass * roundsOfAPass + round, value));
  }

  /**
   * @param {string} metric
   * @param {string} contender
   * @param {string} reason
   */
  fail(metric, contender, reason) {
    this.#failures.set(`${metric} ${contender}`, reason);
  }

  /**
   * @param {string} metric
   * @param {string} contender
   */
  failure(metric, contender) {
    return this.#failures.get(`${metric} ${contender}`);
  }

  /**
   * @param {string} metric
   * @param {string} contender
   */
  summary(metric, contender) {
    const values = [...(this.#series.get(`${metric} ${contender}`)?.values() ?? [])];
    if (values.length === 0) return undefined;
    return { median: quantile(values), spread: spread(values), windows: values.length };
  }

  /**
   * @param {string} metric
   * @param {string} contender
   * @param {string} other
   */
  ratio(metric, contender, other) {
    const ours = this.#series.get(`${metric} ${contender}`);
    const theirs = this.#series.get(`${metric} ${other}`);
    if (ours === undefined || theirs === undefined) return undefined;
    return pairedRatio(ours, theirs);
  }
}
