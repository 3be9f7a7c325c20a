// One host with many children, all busy.
import { inTurn, leaveSeats, takeSeats } from '../seats.mjs';

// Contenders whose children live at the same time: more would fill the memory of a small machine.
const fleetsAtOnce = 3;
const inFlightPerChild = 16;

/** @param {import('../measure.mjs').Run} run */
export async function measureChildren({ contenders, plan, samples, progress }) {
  const { children, windowMs, rounds, fleetWarmUpMs } = plan;
  for (let first = 0; first < contenders.length; first += fleetsAtOnce) {
    progress(`${children} children at once`, first / contenders.length);
    const seats = await takeSeats(contenders.slice(first, first + fleetsAtOnce), children);
    // Each of many children gets few calls, so that it takes seconds until the compiler is through with all of them.
    for (const { host } of seats)
      await host.ask({ kind: 'in-flight', inFlight: inFlightPerChild, milliseconds: fleetWarmUpMs });
    for (let round = 0; round < rounds.children; round++) {
      for (const { contender, host } of inTurn(seats, round)) {
        const rate = await host.ask({
          kind: 'in-flight',
          inFlight: inFlightPerChild,
          milliseconds: 2 * windowMs,
        });
        samples.add('children', contender.id, round, /** @type {number} */ (rate));
      }
    }
    leaveSeats(seats);
  }
}
