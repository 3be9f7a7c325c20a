// The planner protocol as a fixture program speaks it: plain Node, so that no fixture rests on the code it is to test.
import readline from 'node:readline';

/** @typedef {(params: any, id: unknown) => unknown} Method */

/**
 * Answers with what a method returns; undefined: it answers by itself, or not at all.
 * @param {Record<string, Method>} methods
 */
export function serve(methods) {
  readline.createInterface({ input: process.stdin }).on('line', (line) => void answer(line, methods));
}

/**
 * @param {string} line
 * @param {Record<string, Method>} methods
 */
async function answer(line, methods) {
  const { id, method, params } = /** @type {{ id: unknown, method: string, params: unknown }} */ (
    JSON.parse(line)
  );
  const known = methods[method];
  if (known === undefined) return send({ id, error: { code: -32601, message: 'Method not found' } });
  const result = await known(params, id);
  if (result !== undefined) send({ id, result });
}

/** @param {object} message */
export function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/**
 * @param {string} method
 * @param {object} params
 */
export function notify(method, params) {
  send({ method, params });
}

/** @param {string} code */
export function success(code) {
  return { status: 'success', output: { code, explanation: '', files_modified: [], files_created: [] } };
}
