// A gevals extension in plain Node that does nothing well, for fixture programs that do one thing badly.
import readline from 'node:readline';

/** @typedef {{ workdir: string, phase: string, agent?: object }} Context */
/** @typedef {{ protocolVersion?: string, config?: unknown, operation: string, args: Record<string, unknown>, context: Context }} Params */
/** @typedef {{ id?: number, method: string, params: Params }} Wire */

/** @param {object} message */
export function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/**
 * @param {string} level
 * @param {string} message
 */
export function log(level, message) {
  send({ method: 'log', params: { level, message } });
}

export const manifest = {
  name: 'fixture',
  version: '1.0.0',
  protocolVersion: '0.0.1',
  operations: { run: { description: 'Does nothing', params: { type: 'object' } } },
};

/** @type {Record<string, (message: Wire) => unknown>} */
const wellBehaved = {
  initialize: ({ id }) => send({ id, result: manifest }),
  execute: ({ id }) => send({ id, result: { success: true, message: 'done' } }),
  shutdown: ({ id }) => {
    send({ id, result: {} });
    process.stdin.destroy();
  },
};

/**
 * Answers one request after the other, until shutdown or the end of stdin.
 * @param {Record<string, (message: Wire) => unknown>} [instead] what is done differently, by method
 */
export async function serve(instead = {}) {
  const handlers = { ...wellBehaved, ...instead };
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const message = /** @type {Wire} */ (JSON.parse(line));
    await handlers[message.method]?.(message);
  }
}
