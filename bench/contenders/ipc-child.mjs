// Node's own channel between parent and child, child end.
import process from 'node:process';
import { sendInBursts, tick } from './burst.mjs';

/** @typedef {{ id: number, method: string, params: unknown }} Message */

process.on('message', (/** @type {Message} */ { id, method, params }) => {
  if (method === 'echo') return send({ jsonrpc: '2.0', id, result: params });
  const { count } = /** @type {{ count: number }} */ (params);
  send({ jsonrpc: '2.0', id, result: null });
  const message = { jsonrpc: '2.0', method: 'tick', params: tick };
  void sendInBursts(count, (lastOfBurst) => (lastOfBurst ? sendAndWait(message) : send(message)));
});
process.on('disconnect', () => process.exit());

/** @param {object} message */
function send(message) {
  process.send?.(message);
}

/**
 * Resolves when the message has left, and with it the burst before it.
 * @param {object} message
 */
function sendAndWait(message) {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, resolve));
}
