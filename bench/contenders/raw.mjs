// Bytes there and back with no JSON and no ids: what the pipe itself allows.
import { Buffer } from 'node:buffer';
import process from 'node:process';
import { endChild, spawnChild, watchOver } from './child.mjs';

// Envelope of a JSON-RPC request, so that small calls weigh the same as everyone's.
const envelopeBytes = 50;

export function start() {
  const child = spawnChild('raw-child.mjs');
  /** @type {WeakMap<object, Buffer>} */
  const bodies = new WeakMap();
  /** @type {Buffer[]} */
  let outgoing = [];
  /** @type {{ end: number, settle(): void }[]} */
  let pending = [];
  let head = 0;
  let sent = 0;
  let received = 0;

  child.stdout.on('data', (/** @type {Buffer} */ chunk) => {
    received += chunk.length;
    for (let next = pending[head]; next !== undefined && next.end <= received; next = pending[++head])
      next.settle();
    if (head > 4096) {
      pending = pending.slice(head);
      head = 0;
    }
  });

  function flush() {
    const [first] = outgoing;
    if (first === undefined) return;
    child.stdin.write(outgoing.length === 1 ? first : Buffer.concat(outgoing));
    outgoing = [];
  }

  /** @param {object} params */
  function bodyOf(params) {
    const known = bodies.get(params);
    if (known !== undefined) return known;
    const body = Buffer.from(JSON.stringify(params) + ' '.repeat(envelopeBytes));
    bodies.set(params, body);
    return body;
  }

  const pid = watchOver(child.pid);
  return {
    pid,
    /** @param {object} params */
    call(params) {
      const body = bodyOf(params);
      sent += body.length;
      const end = sent;
      if (outgoing.push(body) === 1) process.nextTick(flush);
      return new Promise((resolve) => {
        pending.push({ end, settle: () => resolve(params) });
      });
    },
    stream: undefined,
    close: () => endChild(pid),
  };
}
