// One small call after the other: what a single call takes.
import { oneProcessor } from '../machine.mjs';
import { inTurn, leaveSeats, takeSeats } from '../seats.mjs';

/** @param {import('../measure.mjs').Run} run */
export async function measureAlone({ contenders, plan: { windowMs, warmUpMs, rounds }, samples, progress }) {
  progress('starting');
  const seats = await takeSeats(contenders, 1, { processor: oneProcessor() });
  for (const { host } of seats) {
    // Many calls at once reach the compiler sooner than one by one.
    await host.ask({ kind: 'in-flight', inFlight: 64, milliseconds: warmUpMs });
    await host.ask({ kind: 'alone', milliseconds: warmUpMs });
  }
  for (let round = 0; round < rounds.small; round++) {
    progress('small calls alone', round / rounds.small);
    for (const { contender, host } of inTurn(seats, round)) {
      const { p50, p99 } = /** @type {{ p50: number, p99: number }} */ (
        await host.ask({ kind: 'alone', milliseconds: windowMs })
      );
      samples.add('alone-p50', contender.id, round, p50);
      samples.add('alone-p99', contender.id, round, p99);
    }
  }
  leaveSeats(seats);
}
