// The contenders of a section at the table, each in a host process of its own.
import { HostProcess } from './host-process.mjs';

/** @typedef {import('./contenders/index.mjs').Contender} Contender */
/** @typedef {{ contender: Contender, host: HostProcess }} Seat */

/**
 * @param {readonly Contender[]} contenders
 * @param {number} connections
 * @param {import('./host-process.mjs').HostOptions} [options]
 * @returns {Promise<Seat[]>}
 */
export async function takeSeats(contenders, connections, options) {
  const seats = [];
  for (const contender of contenders) {
    const host = new HostProcess(contender.id, options);
    await host.open(connections);
    seats.push({ contender, host });
  }
  return seats;
}

/** @param {readonly Seat[]} seats */
export function leaveSeats(seats) {
  for (const { host } of seats) host.close();
}

/**
 * Another one begins each round, so that nobody always follows the same neighbour.
 * @template Item
 * @param {readonly Item[]} items
 * @param {number} round
 */
export function inTurn(items, round) {
  const begin = Math.max(0, round) % items.length;
  return [...items.slice(begin), ...items.slice(0, begin)];
}
