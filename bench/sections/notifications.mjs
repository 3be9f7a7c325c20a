// A stream of notifications, child to host.
import { inTurn } from '../seats.mjs';

/**
 * @param {import('../measure.mjs').Run} run
 * @param {readonly import('../seats.mjs').Seat[]} seats
 */
export async function measureNotifications({ plan: { windowMs, rounds }, samples, progress }, seats) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { contender, host } of seats) {
    // The second, warmed-up stream tells how many fill a window.
    await host.ask({ kind: 'notifications', count: 10_000 });
    const rate = /** @type {number | undefined} */ (await host.ask({ kind: 'notifications', count: 10_000 }));
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
