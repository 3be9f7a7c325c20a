// The loop that people write by hand, child end.
import process from 'node:process';
import { sendInBursts, tick } from './burst.mjs';

/** @typedef {{ id: number, method: string, params: unknown }} Message */

let buffer = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (/** @type {string} */ chunk) => {
  buffer += chunk;
  const lines = buffer.split('\n');
  buffer = lines.pop() ?? '';
  for (const line of lines) {
    if (line !== '') receive(/** @type {Message} */ (JSON.parse(line)));
  }
});
process.stdin.on('end', () => process.exit());

/** @param {Message} message */
function receive(message) {
  const { id, method, params } = message;
  if (method === 'echo') return send({ jsonrpc: '2.0', id, result: params });
  if (method !== 'stream')
    return send({ jsonrpc: '2.0', id, error: { code: -32601, message: `No method "${method}".` } });
  const { count } = /** @type {{ count: number }} */ (params);
  send({ jsonrpc: '2.0', id, result: null });
  void sendInBursts(count, () => send({ jsonrpc: '2.0', method: 'tick', params: tick }));
}

/** @param {object} message */
function send(message) {
  process.stdout.write(JSON.stringify(message) + '\n');
}
