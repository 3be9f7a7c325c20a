// Payloads there and back, from 1 KiB to 8 MiB.
import { inTurn } from '../seats.mjs';
import { payloadSizes } from '../values.mjs';

/**
 * @param {import('../measure.mjs').Run} run
 * @param {readonly import('../seats.mjs').Seat[]} seats
 */
export async function measurePayloads({ plan: { windowMs, warmUpMs, rounds }, samples, progress }, seats) {
  for (const [index, { id, label, bytes, inFlight, share }] of payloadSizes.entries()) {
    const last = Math.ceil(rounds.payload * share);
    // The first round warms up at this size and is not counted.
    for (let round = -1; round < last; round++) {
      progress(`payloads of ${label}`, (index + Math.max(0, round) / last) / payloadSizes.length);
      for (const { contender, host } of inTurn(seats, round)) {
        if (samples.failure(`payload-${id}`, contender.id) !== undefined) continue;
        try {
          const milliseconds = round < 0 ? warmUpMs : windowMs;
          const speed = await host.ask({ kind: 'payload', bytes, inFlight, milliseconds });
          if (round >= 0) samples.add(`payload-${id}`, contender.id, round, /** @type {number} */ (speed));
        } catch (error) {
          // A library may have a limit below this size; that is a result too.
          samples.fail(`payload-${id}`, contender.id, error instanceof Error ? error.message : String(error));
        }
      }
    }
  }
}
