// node --expose-gc many-calls.mjs FRAMING COUNT makes so many calls of every kind between two peers in this process, and
// prints the heap before and after as JSON; the same for connections that are opened and closed.
import { framedLink, lengthPrefix, linkedPipes, lines, Peer, RpcError } from '../../dist/channel/index.js';

const [, , framingName = 'lines', count = '1000'] = process.argv;
const framing = framingName === 'lines' ? lines() : lengthPrefix();
const ROUND = 100;

/** @type {import('../../dist/channel/index.js').CancelProtocol} */
const cancel = {
  method: 'cancel',
  notification: (id) => ({ method: 'cancel', params: [id] }),
  idIn: (params) => /** @type {number[]} */ (params)[0],
};

// A pair in memory keeps no process alive, as a pipe to a child would.
const alive = setInterval(() => {}, 1000);
const { a, b } = connect();
const lifetime = new AbortController();

// What compilation and first growth take belongs to the start.
const warmUp = Math.max(20_000, Number(count) / 10);
await call(warmUp);
const before = heap();
await call(Number(count));
const after = heap();

await connections(500);
const beforeConnections = heap();
await connections(2000);
const afterConnections = heap();

console.log(
  JSON.stringify({
    sent: a.stats().requestsSent,
    left: a.stats().inFlight + a.stats().waiting + b.stats().handling,
    grownKiB: Math.round((after - before) / 1024),
    grownByConnectionsKiB: Math.round((afterConnections - beforeConnections) / 1024),
  }),
);
await Promise.all([a.close(), b.close()]);
clearInterval(alive);

function connect() {
  const [left, right] = linkedPipes();
  const a = new Peer(framedLink(left, framing), { cancel, maxInFlight: ROUND / 2, timeoutMs: 60_000 });
  const b = new Peer(framedLink(right, framing), { cancel });
  b.handle('now', (params) => params);
  b.handle('later', async (params) => params);
  b.handle('refuse', () => {
    throw new RpcError(1, 'no');
  });
  b.handle('hang', (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)));
  b.onNotification('said', () => {});
  return { a, b };
}

/** @param {number} count */
async function call(count) {
  for (let done = 0; done < count; done += ROUND) {
    const calls = [];
    for (let i = 0; i < ROUND - 4; i++) calls.push(request(i));
    await Promise.all(calls);
    const settled = a.open('now');
    const abandoned = a.open('hang');
    settled.settle('by other means');
    abandoned.abandon(new Error('given up'));
    a.notify('said', { done });
    await a.batch([{ method: 'now' }, { method: 'said', notify: true }, { method: 'later' }]);
  }
}

/**
 * One of every kind in turn.
 * @param {number} i
 */
function request(i) {
  switch (i % 8) {
    case 0:
      return a.request('refuse').catch(() => {});
    case 1: {
      const controller = new AbortController();
      const call = a.request('hang', [i], { signal: controller.signal }).catch(() => {});
      controller.abort();
      return call;
    }
    case 2:
      return a.request('now', [i], { signal: lifetime.signal });
    case 3:
      return a.request('hang', [i], { timeoutMs: 0 }).catch(() => {});
    case 4:
      return a.request('later', { text: 'ü', i });
    default:
      return a.request('now', { text: 'x'.repeat(50), i });
  }
}

/** @param {number} count */
async function connections(count) {
  for (let i = 0; i < count; i++) {
    const { a, b } = connect();
    const hanging = a.request('hang').catch(() => {});
    await a.request('now', [i]);
    if (i % 2 === 0) await Promise.all([a.close({ pending: 'abort' }), b.close({ pending: 'abort' })]);
    else await a.close({ pending: 'abort' });
    await Promise.all([hanging, a.closed, b.closed]);
  }
}

function heap() {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
