// Small calls with many on their way at once.
import { inTurn } from '../seats.mjs';

const loads = [64, 1024];

/**
 * @param {import('../measure.mjs').Run} run
 * @param {readonly import('../seats.mjs').Seat[]} seats
 */
export async function measureInFlight({ plan: { windowMs, warmUpMs, rounds }, samples, progress }, seats) {
  // At each load that is measured: code that was compiled for another one is compiled anew in the middle of the windows.
  for (const inFlight of loads)
    for (const { host } of seats) await host.ask({ kind: 'in-flight', inFlight, milliseconds: warmUpMs });
  for (let round = 0; round < rounds.small; round++) {
    progress('small calls in flight', round / rounds.small);
    for (const inFlight of loads) {
      for (const { contender, host } of inTurn(seats, round)) {
        const rate = await host.ask({ kind: 'in-flight', inFlight, milliseconds: windowMs });
        samples.add(`calls-${inFlight}`, contender.id, round, /** @type {number} */ (rate));
      }
    }
  }
}
