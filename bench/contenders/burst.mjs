// How the children of all peers stream: as fast as the library allows, in bursts, waiting for what it gives to wait for.
const burstSize = 256;

/** What a notification carries; with its envelope about 120 bytes. */
export const tick = { level: 'info', text: 'indexing src/channel/peer', done: 1234 };

/**
 * @param {number} count
 * @param {(lastOfBurst: boolean) => unknown} send may return a promise; the last one of a burst is awaited
 */
export async function sendInBursts(count, send) {
  for (let sent = 0; sent < count;) {
    const last = Math.min(count, sent + burstSize) - 1;
    for (; sent < last; sent++) void send(false);
    await send(true);
    sent++;
  }
}
