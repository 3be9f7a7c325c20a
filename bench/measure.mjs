// The order of a run: every section goes round and round over all contenders in short windows, so that whatever
// else the machine does meets all of them alike.
import { HostProcess } from './host-process.mjs';
import { oneProcessor } from './machine.mjs';
import { payloadSizes } from './values.mjs';

/** @typedef {import('./contenders/index.mjs').Contender} Contender */
/** @typedef {import('./metrics.mjs').Samples} Samples */
/** @typedef {(text: string, part?: number) => void} Progress */
/** @typedef {{ contender: Contender, host: HostProcess }} Seat */

/**
 * One run and what came of it.
 * @typedef {object} Run
 * @property {readonly Contender[]} contenders
 * @property {readonly string[]} sections
 * @property {Plan} plan
 * @property {Samples} samples
 */

/**
 * How long and how often.
 * @typedef {object} Plan
 * @property {number} windowMs
 * @property {number} warmUpMs
 * @property {{ small: number, payload: number, notifications: number, children: number, memory: number }} rounds
 * @property {number} children
 */

/** @type {Plan} */
export const fullPlan = {
  windowMs: 150,
  warmUpMs: 500,
  rounds: { small: 21, payload: 13, notifications: 15, children: 11, memory: 1 },
  children: 50,
};

/** @type {Plan} */
export const quickPlan = {
  windowMs: 80,
  warmUpMs: 250,
  rounds: { small: 7, payload: 3, notifications: 5, children: 5, memory: 1 },
  children: 12,
};

/**
 * @param {Run} run
 * @param {Progress} progress
 */
export async function measure({ contenders, sections, plan, samples }, progress) {
  const chosen = new Set(sections);
  if (chosen.has('small')) await measureAlone(contenders, plan, samples, progress);
  if (chosen.has('small') || chosen.has('payload') || chosen.has('notifications')) {
    progress('starting');
    const seats = await takeSeats(contenders, 1);
    if (chosen.has('small')) await measureInFlight(seats, plan, samples, progress);
    if (chosen.has('payload')) await measurePayloads(seats, plan, samples, progress);
    if (chosen.has('notifications')) await measureNotifications(seats, plan, samples, progress);
    leave(seats);
  }
  if (chosen.has('children') || chosen.has('memory')) await measureFleets(contenders, chosen, plan, samples, progress);
}

/**
 * @param {readonly Contender[]} contenders
 * @param {Plan} plan
 * @param {Samples} samples
 * @param {Progress} progress
 */
async function measureAlone(contenders, { windowMs, warmUpMs, rounds }, samples, progress) {
  progress('starting');
  const seats = await takeSeats(contenders, 1, { processor: oneProcessor() });
  for (const { host } of seats) {
    // Many calls at once reach the compiler sooner than one by one.
    await host.ask({ kind: 'in-flight', inFlight: 64, milliseconds: warmUpMs });
    await host.ask({ kind: 'alone', milliseconds: warmUpMs });
  }
  for (let round = 0; round < rounds.small; round++) {
    progress('small calls alone', round / rounds.small);
    for (const { contender, host } of turn(seats, round)) {
      const { p50, p99 } = /** @type {{ p50: number, p99: number }} */ (
        await host.ask({ kind: 'alone', milliseconds: windowMs })
      );
      samples.add('alone-p50', contender.id, round, p50);
      samples.add('alone-p99', contender.id, round, p99);
    }
  }
  leave(seats);
}

/**
 * @param {readonly Seat[]} seats
 * @param {Plan} plan
 * @param {Samples} samples
 * @param {Progress} progress
 */
async function measureInFlight(seats, { windowMs, warmUpMs, rounds }, samples, progress) {
  for (const { host } of seats) await host.ask({ kind: 'in-flight', inFlight: 64, milliseconds: warmUpMs });
  for (let round = 0; round < rounds.small; round++) {
    progress('small calls in flight', round / rounds.small);
    for (const inFlight of [64, 1024]) {
      for (const { contender, host } of turn(seats, round)) {
        const rate = /** @type {number} */ (await host.ask({ kind: 'in-flight', inFlight, milliseconds: windowMs }));
        samples.add(`calls-${inFlight}`, contender.id, round, rate);
      }
    }
  }
}

/**
 * @param {readonly Seat[]} seats
 * @param {Plan} plan
 * @param {Samples} samples
 * @param {Progress} progress
 */
async function measurePayloads(seats, { windowMs, rounds }, samples, progress) {
  for (const [index, { id, label, bytes, inFlight }] of payloadSizes.entries()) {
    // The first round warms up and is not counted.
    for (let round = -1; round < rounds.payload; round++) {
      progress(`payloads of ${label}`, (index + (round + 1) / (rounds.payload + 1)) / payloadSizes.length);
      for (const { contender, host } of turn(seats, round)) {
        if (samples.failure(`payload-${id}`, contender.id) !== undefined) continue;
        try {
          const speed = await host.ask({ kind: 'payload', bytes, inFlight, milliseconds: windowMs });
          if (round >= 0) samples.add(`payload-${id}`, contender.id, round, /** @type {number} */ (speed));
        } catch (error) {
          samples.fail(`payload-${id}`, contender.id, error instanceof Error ? error.message : String(error));
        }
      }
    }
  }
}

/**
 * @param {readonly Seat[]} seats
 * @param {Plan} plan
 * @param {Samples} samples
 * @param {Progress} progress
 */
async function measureNotifications(seats, { windowMs, rounds }, samples, progress) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { contender, host } of seats) {
    // The second, warmed-up stream tells how many fill a window.
    await host.ask({ kind: 'notifications', count: 5000 });
    const rate = /** @type {number | undefined} */ (await host.ask({ kind: 'notifications', count: 20_000 }));
    if (rate !== undefined) counts.set(contender.id, Math.round((rate * windowMs) / 1000));
  }
  for (let round = 0; round < rounds.notifications; round++) {
    progress('notifications', round / rounds.notifications);
    for (const { contender, host } of turn(seats, round)) {
      const count = counts.get(contender.id);
      if (count === undefined) continue;
      const rate = /** @type {number} */ (await host.ask({ kind: 'notifications', count }));
      samples.add('notifications', contender.id, round, rate);
    }
  }
}

// Contenders whose children live at the same time: more would fill the memory of a small machine.
const fleetsAtOnce = 3;
const warmUpConnections = 4;
const inFlightPerChild = 16;

/**
 * @param {readonly Contender[]} contenders
 * @param {ReadonlySet<string>} chosen
 * @param {Plan} plan
 * @param {Samples} samples
 * @param {Progress} progress
 */
async function measureFleets(contenders, chosen, { children, windowMs, rounds }, samples, progress) {
  for (let first = 0; first < contenders.length; first += fleetsAtOnce) {
    const group = contenders.slice(first, first + fleetsAtOnce);
    progress(`${children} children each of ${group.map(({ label }) => label).join('; ')}`, first / contenders.length);
    const seats = await takeSeats(group, warmUpConnections, { nodeOptions: ['--expose-gc'] });
    for (const { contender, host } of seats) {
      const before = /** @type {{ heap: number, resident: number }} */ (await host.ask({ kind: 'memory' }));
      await host.ask({ kind: 'open', connections: children - warmUpConnections });
      const after = /** @type {{ heap: number, resident: number }} */ (await host.ask({ kind: 'memory' }));
      samples.add('heap', contender.id, 0, (after.heap - before.heap) / (children - warmUpConnections));
      samples.add('resident', contender.id, 0, (after.resident - before.resident) / (children - warmUpConnections));
    }
    for (let round = -1; chosen.has('children') && round < rounds.children; round++) {
      for (const { contender, host } of turn(seats, round)) {
        const rate = await host.ask({ kind: 'in-flight', inFlight: inFlightPerChild, milliseconds: 2 * windowMs });
        if (round >= 0) samples.add('children', contender.id, round, /** @type {number} */ (rate));
      }
    }
    leave(seats);
  }
}

/**
 * @param {readonly Contender[]} contenders
 * @param {number} connections
 * @param {{ nodeOptions?: readonly string[], processor?: string | undefined }} [options]
 * @returns {Promise<Seat[]>}
 */
async function takeSeats(contenders, connections, options) {
  const seats = [];
  for (const contender of contenders) {
    const host = new HostProcess(contender.id, options);
    await host.open(connections);
    seats.push({ contender, host });
  }
  return seats;
}

/** @param {readonly Seat[]} seats */
function leave(seats) {
  for (const { host } of seats) host.close();
}

/**
 * Another one begins each round, so that nobody always follows the same neighbour.
 * @template Item
 * @param {readonly Item[]} items
 * @param {number} round
 */
function turn(items, round) {
  const begin = Math.max(0, round) % items.length;
  return [...items.slice(begin), ...items.slice(0, begin)];
}
