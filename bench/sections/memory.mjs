// What an idle connection costs the host. The JS heap is what one more takes. Resident memory comes in steps far
// larger than a connection, so it is what the host needs above plain Node, library included, shared out.
import { leaveSeats, takeSeats } from '../seats.mjs';

/** @typedef {{ heap: number, residentAboveFloor: number }} Memory */

// Connections after which a library is loaded and compiled, and one more costs what one more costs.
const warmUpConnections = 8;

/** @param {import('../measure.mjs').Run} run */
export async function measureMemory({ contenders, plan: { idleConnections, rounds }, samples, progress }) {
  for (let round = 0; round < rounds.memory; round++) {
    // One look is enough at those whom no promise mentions.
    const seen = contenders.filter(({ kind }) => round === 0 || kind !== 'json');
    for (const [index, contender] of seen.entries()) {
      progress('memory', (round + index / seen.length) / rounds.memory);
      const seats = await takeSeats([contender], warmUpConnections, { nodeOptions: ['--expose-gc'] });
      for (const { host } of seats) {
        const before = /** @type {Memory} */ (await host.ask({ kind: 'memory' }));
        await host.ask({ kind: 'open', connections: idleConnections - warmUpConnections });
        const after = /** @type {Memory} */ (await host.ask({ kind: 'memory' }));
        samples.add(
          'heap',
          contender.id,
          round,
          (after.heap - before.heap) / (idleConnections - warmUpConnections),
        );
        samples.add('resident', contender.id, round, after.residentAboveFloor / idleConnections);
      }
      leaveSeats(seats);
    }
  }
}
