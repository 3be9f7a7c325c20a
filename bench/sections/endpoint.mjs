// Our endpoint beside the gateways that people put before a stdio server: tool calls of one client, and of many at once.
import { endpointContenders } from '../contenders/index.mjs';
import { inTurn, leaveSeats, takeSeats } from '../seats.mjs';

const clientCounts = [1, 32];
const warmUps = 5;

/** @param {import('../measure.mjs').Run} run */
export async function measureEndpoint({ plan: { rounds }, samples, progress }) {
  progress('starting');
  const seats = await takeSeats(endpointContenders, 1);
  for (let count = 0; count < warmUps; count++)
    for (const { host } of seats) await host.ask({ kind: 'figure', name: 'calls-32' });
  for (let round = 0; round < rounds.endpoint; round++) {
    progress('calls over HTTP', round / rounds.endpoint);
    for (const clients of clientCounts)
      for (const { contender, host } of inTurn(seats, round)) {
        for (const name of [`calls-${clients}`, 'p50', 'p99']) {
          const value = /** @type {number} */ (await host.ask({ kind: 'figure', name }));
          const metric = name.startsWith('calls') ? name : `${name}-${clients}`;
          samples.add(`endpoint-${metric}`, contender.id, round, value);
        }
      }
  }
  leaveSeats(seats);
}
