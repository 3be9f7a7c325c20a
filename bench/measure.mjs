// The order of a run: every section goes round and round over all contenders in short windows, so that whatever
// else the machine does meets all of them alike.
import { setTimeout as sleep } from 'node:timers/promises';
import { contenders } from './contenders/index.mjs';
import { processorUse } from './machine.mjs';
import { leaveSeats, takeSeats } from './seats.mjs';
import { measureAlone } from './sections/alone.mjs';
import { measureChildren } from './sections/children.mjs';
import { measureCliStart } from './sections/cli-start.mjs';
import { measureEndpoint } from './sections/endpoint.mjs';
import { measureFleet } from './sections/fleet.mjs';
import { measureInFlight } from './sections/in-flight.mjs';
import { measureMemory } from './sections/memory.mjs';
import { measureNotifications } from './sections/notifications.mjs';
import { measurePayloads } from './sections/payloads.mjs';
import { measureRegistry } from './sections/registry.mjs';
import { measureSdkStart } from './sections/sdk-start.mjs';

/** @typedef {import('./contenders/index.mjs').Contender} Contender */
/** @typedef {import('./options.mjs').Section} Section */
/** @typedef {(text: string, part?: number) => void} Progress */

/**
 * One run and what came of it.
 * @typedef {object} Run
 * @property {readonly Contender[]} contenders
 * @property {readonly Section[]} sections
 * @property {Plan} plan
 * @property {import('./metrics.mjs').Samples} samples
 * @property {Progress} progress
 * @property {number[]} disturbances parts of the processors that others used, one per section
 */

/**
 * How long and how often.
 * @typedef {object} Plan
 * @property {number} windowMs
 * @property {number} warmUpMs
 * @property {number} fleetWarmUpMs for each contender with many children
 * @property {Readonly<Record<Section, number>>} rounds
 * @property {number} children busy ones at once
 * @property {number} idleConnections over which memory is shared out
 */

/** @type {Plan} */
const fullPlan = {
  windowMs: 120,
  warmUpMs: 500,
  fleetWarmUpMs: 5000,
  rounds: {
    small: 54,
    payload: 20,
    notifications: 15,
    children: 9,
    memory: 2,
    fleet: 9,
    sdk: 60,
    cli: 40,
    registry: 20,
    endpoint: 20,
  },
  children: 50,
  idleConnections: 50,
};

/** @type {Plan} */
const quickPlan = {
  windowMs: 50,
  warmUpMs: 300,
  fleetWarmUpMs: 2000,
  rounds: {
    small: 4,
    payload: 2,
    notifications: 3,
    children: 2,
    memory: 1,
    fleet: 3,
    sdk: 15,
    cli: 10,
    registry: 8,
    endpoint: 8,
  },
  children: 8,
  idleConnections: 50,
};

/**
 * A quick run takes its time whoever is in it: with few contenders, as when tuning, each gets more rounds.
 * @param {boolean} quick
 * @param {readonly Contender[]} chosen
 * @returns {Plan}
 */
export function planOf(quick, chosen) {
  if (!quick) return fullPlan;
  const times = Math.min(4, contenders.length / chosen.length);
  const { small, payload, notifications, children, ...others } = quickPlan.rounds;
  return {
    ...quickPlan,
    rounds: {
      small: Math.round(small * times),
      payload: Math.round(payload * times),
      notifications: Math.round(notifications * times),
      children: Math.round(children * times),
      ...others,
    },
  };
}

/** @param {Run} run */
export async function measure(run) {
  const chosen = new Set(run.sections);
  if (chosen.has('small')) await withDisturbance(run, () => measureAlone(run));
  if (chosen.has('small') || chosen.has('payload') || chosen.has('notifications')) {
    run.progress('starting');
    const seats = await takeSeats(run.contenders, 1);
    if (chosen.has('small')) await withDisturbance(run, () => measureInFlight(run, seats));
    if (chosen.has('payload')) await withDisturbance(run, () => measurePayloads(run, seats));
    if (chosen.has('notifications')) await withDisturbance(run, () => measureNotifications(run, seats));
    leaveSeats(seats);
  }
  if (chosen.has('children')) await withDisturbance(run, () => measureChildren(run));
  if (chosen.has('memory')) await withDisturbance(run, () => measureMemory(run));
  if (chosen.has('fleet')) await withDisturbance(run, () => measureFleet(run));
  if (chosen.has('sdk')) await withDisturbance(run, () => measureSdkStart(run));
  if (chosen.has('cli')) await withDisturbance(run, () => measureCliStart(run));
  if (chosen.has('registry')) await withDisturbance(run, () => measureRegistry(run));
  if (chosen.has('endpoint')) await withDisturbance(run, () => measureEndpoint(run));
}

/**
 * Our processes rest here, so what the processors do is what others do.
 * @param {Run} run
 * @param {() => Promise<void>} section
 */
async function withDisturbance(run, section) {
  // The processes of the section before are still being cleared away for a moment.
  await sleep(300);
  run.disturbances.push(await processorUse(500));
  await section();
}
