// Small calls with many on their way at once.
import { inTurn } from '../seats.mjs';

/**
 * @param {import('../measure.mjs').Run} run
 * @param {readonly import('../seats.mjs').Seat[]} seats
 */
export async function measureInFlight({ plan: { windowMs, warmUpMs, rounds }, samples, progress }, seats) {
  for (const { host } of seats) await host.ask({ kind: 'in-flight', inFlight: 64, milliseconds: warmUpMs });
  for (let round = 0; round < rounds.small; round++) {
    progress('small calls in flight', round / rounds.small);
    for (const inFlight of [64, 1024]) {
      for (const { contender, host } of inTurn(seats, round)) {
        const rate = await host.ask({ kind: 'in-flight', inFlight, milliseconds: windowMs });
        samples.add(`calls-${inFlight}`, contender.id, round, /** @type {number} */ (rate));
      }
    }
  }
}
