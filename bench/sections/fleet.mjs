// What the fleet adds to a bare peer, and to bare processes. It has two contenders of its own.
import { fleetContenders } from '../contenders/index.mjs';
import { inTurn, leaveSeats, takeSeats } from '../seats.mjs';

const inFlight = 64;
const plugins = 20;

/** @param {import('../measure.mjs').Run} run */
export async function measureFleet({ plan: { windowMs, warmUpMs, rounds }, samples, progress }) {
  progress('starting');
  const seats = await takeSeats(fleetContenders, 1);
  for (const { host } of seats) await host.ask({ kind: 'in-flight', inFlight, milliseconds: 2 * warmUpMs });
  for (let round = 0; round < 2 * rounds.fleet; round++) {
    progress('calls through the fleet', round / rounds.fleet / 3);
    for (const { contender, host } of inTurn(seats, round)) {
      const rate = await host.ask({ kind: 'in-flight', inFlight, milliseconds: windowMs });
      samples.add('fleet-calls', contender.id, round, /** @type {number} */ (rate));
    }
  }
  for (let round = 0; round < rounds.fleet; round++) {
    progress(`${plugins} plugins started at once`, (2 + round / rounds.fleet) / 3);
    for (const { contender, host } of inTurn(seats, round)) {
      const taken = await host.ask({ kind: 'start-up', count: plugins });
      samples.add('fleet-start', contender.id, round, /** @type {number} */ (taken));
    }
  }
  leaveSeats(seats);
}
