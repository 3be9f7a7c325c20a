// A stream of notifications, child to host.
import { inTurn } from '../seats.mjs';

/**
 * @param {import('../measure.mjs').Run} run
 * @param {readonly import('../seats.mjs').Seat[]} seats
 */
export async function measureNotifications(
  { plan: { windowMs, warmUpMs, rounds }, samples, progress },
  seats,
) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { contender, host } of seats) {
    const rate = await warmUp(host, warmUpMs);
    if (rate !== undefined) counts.set(contender.id, Math.round((rate * windowMs) / 1000));
  }
  for (let round = 0; round < rounds.notifications; round++) {
    progress('notifications', round / rounds.notifications);
    for (const { contender, host } of inTurn(seats, round)) {
      const count = counts.get(contender.id);
      if (count === undefined) continue;
      const rate = await host.ask({ kind: 'notifications', count });
      samples.add('notifications', contender.id, round, /** @type {number} */ (rate));
    }
  }
}

/**
 * The same time for everyone, whatever the rate, which it gives: it tells how many fill a window.
 * @param {import('../host-process.mjs').HostProcess} host
 * @param {number} milliseconds
 */
async function warmUp(host, milliseconds) {
  /** @type {number | undefined} */
  let rate;
  for (let past = 0; past < milliseconds; past += rate === undefined ? milliseconds : (10_000 / rate) * 1000)
    rate = /** @type {number | undefined} */ (await host.ask({ kind: 'notifications', count: 10_000 }));
  return rate;
}
