// The timed windows, run inside a host process. A window is short, so that many of them can be interleaved.
import { performance } from 'node:perf_hooks';
import { payloadOf, smallCall } from './values.mjs';

/** @typedef {import('./contenders/index.mjs').Connection} Connection */

/**
 * One call after the other; microseconds.
 * @param {Connection} connection
 * @param {number} milliseconds
 */
export async function callsAlone(connection, milliseconds) {
  checkEcho(smallCall, await connection.call(smallCall));
  // The processes slept while others were measured: the first calls wake them and are not counted.
  await callOneByOne(connection, milliseconds / 5);
  const taken = await callOneByOne(connection, milliseconds);
  taken.sort((a, b) => a - b);
  return { p50: quantile(taken, 0.5) * 1000, p99: quantile(taken, 0.99) * 1000 };
}

/**
 * @param {Connection} connection
 * @param {number} milliseconds
 */
async function callOneByOne(connection, milliseconds) {
  /** @type {number[]} */
  const taken = [];
  const begin = performance.now();
  for (let now = begin; now - begin < milliseconds;) {
    await connection.call(smallCall);
    const end = performance.now();
    taken.push(end - now);
    now = end;
  }
  return taken;
}

/**
 * Small calls with a fixed number in flight on each connection; calls per second.
 * @param {readonly Connection[]} connections
 * @param {number} inFlight per connection
 * @param {number} milliseconds
 */
export async function callsInFlight(connections, inFlight, milliseconds) {
  const atLeast = 4 * inFlight * connections.length;
  const { perSecond, last } = await callsPerSecond(connections, smallCall, inFlight, milliseconds, atLeast);
  const [connection] = connections;
  checkEcho(smallCall, connection?.read === undefined ? last : connection.read(last));
  return perSecond;
}

/** @type {Map<number, object>} */
const payloads = new Map();

/**
 * A payload there and back; megabytes of payload per second, counted once.
 * @param {Connection} connection
 * @param {number} bytes
 * @param {number} inFlight
 * @param {number} milliseconds
 */
export async function payloadEcho(connection, bytes, inFlight, milliseconds) {
  const payload = payloads.get(bytes) ?? payloadOf(bytes);
  payloads.set(bytes, payload);
  const { perSecond, last } = await callsPerSecond(
    [connection],
    payload,
    inFlight,
    milliseconds,
    2 * inFlight,
  );
  return (perSecond * checkEcho(payload, last)) / 1e6;
}

/**
 * Notifications per second, child to host.
 * @param {Connection} connection
 * @param {number} count
 */
export async function notifications(connection, count) {
  if (connection.stream === undefined) return undefined;
  return count / (await connection.stream(count));
}

/**
 * Everything that was begun is waited for and counted, so a library that answers in large bursts is neither
 * favoured nor harmed by where the window ends; `atLeast` keeps start and end a small part of a slow window.
 * @param {readonly Connection[]} connections
 * @param {unknown} params
 * @param {number} inFlight
 * @param {number} milliseconds
 * @param {number} atLeast
 */
async function callsPerSecond(connections, params, inFlight, milliseconds, atLeast) {
  let begun = 0;
  /** @type {unknown} */
  let last;
  const begin = performance.now();
  const window = { over: false };
  const timer = setInterval(() => (window.over = performance.now() - begin >= milliseconds), 5);
  /** @param {Connection} connection */
  const lane = async (connection) => {
    while (!window.over || begun < atLeast) {
      begun++;
      last = await connection.call(params);
    }
  };
  await Promise.all(
    connections.flatMap((connection) => Array.from({ length: inFlight }, () => lane(connection))),
  );
  const seconds = (performance.now() - begin) / 1000;
  clearInterval(timer);
  return { perSecond: begun / seconds, last };
}

/**
 * @param {object} params
 * @param {unknown} result
 * @returns {number} the size of the JSON text, which is ASCII
 */
function checkEcho(params, result) {
  const sent = JSON.stringify(params);
  const echoed = JSON.stringify(result);
  if (echoed !== sent)
    throw new Error(`The echo of ${sent.length} characters came back wrong: ${echoed?.slice(0, 200)}`);
  return sent.length;
}

/**
 * @param {readonly number[]} sorted
 * @param {number} fraction
 */
function quantile(sorted, fraction) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}
