import { performance } from 'node:perf_hooks';

/**
 * Seconds from asking for a stream until its last notification is here.
 * @param {number} count
 * @param {(listener: () => void) => void} listen
 * @param {() => Promise<unknown>} ask
 * @returns {Promise<number>}
 */
export function timeStream(count, listen, ask) {
  return new Promise((resolve, reject) => {
    let received = 0;
    const begin = performance.now();
    listen(() => {
      if (++received === count) resolve((performance.now() - begin) / 1000);
    });
    ask().catch(reject);
  });
}
