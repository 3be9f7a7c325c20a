// Whether finding and gating a call costs the same among 10,000 tools as among 100, and what a list of all of them takes.
import { registryContenders } from '../contenders/index.mjs';
import { inTurn, leaveSeats, takeSeats } from '../seats.mjs';

/** @param {import('../measure.mjs').Run} run */
export async function measureRegistry({ plan: { rounds }, samples, progress }) {
  progress('starting');
  const seats = await takeSeats(registryContenders, 1);
  for (const { host } of seats)
    for (let count = 0; count < 5; count++) await host.ask({ kind: 'figure', name: 'calls' });
  for (let round = 0; round < rounds.registry; round++) {
    progress('calls through the gate', round / rounds.registry);
    for (const { contender, host } of inTurn(seats, round)) {
      for (const name of ['calls', 'list']) {
        const value = await host.ask({ kind: 'figure', name });
        samples.add(`registry-${name}`, contender.id, round, /** @type {number} */ (value));
      }
    }
  }
  leaveSeats(seats);
}
