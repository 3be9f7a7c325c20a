// The wire of the dialects that are lines of JSON.
import { createInterface } from 'node:readline';

/** @param {Record<string, (params: any, id: unknown) => unknown>} methods */
export function answerLines(methods) {
  const lines = createInterface({ input: process.stdin });
  lines.on('close', () => process.exit(0));
  /** @param {string} line */
  const take = async (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) return;
    const known = methods[method];
    if (known === undefined) send({ id, error: { code: -32601, message: `no ${method}` } });
    else send({ id, result: await known(params, id) });
  };
  lines.on('line', (line) => void take(line));
}

/** @param {object} message */
export function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
