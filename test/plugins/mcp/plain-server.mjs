// An MCP server as plain as the specification lets it be; the fixtures beside it change one thing each. No SDK, Node alone.
import readline from 'node:readline';

/**
 * What the params of any request may have in them; a handler knows which.
 * @typedef {object} Params
 * @property {string} protocolVersion
 * @property {string} name
 * @property {{ a: number, b: number, name: string, large?: boolean, who?: string }} arguments
 * @property {{ progressToken: number }} _meta
 * @property {number} requestId
 * @property {string} reason
 * @property {string} uri
 * @property {string} [cursor]
 */
/** @typedef {{ id: number | string, method?: string, params: Params, result?: unknown, error?: { code: number } }} Wire */
/** @typedef {(message: Wire) => unknown} Handler */

/** @param {unknown} message */
export function send(message) {
  return process.stdout.write(`${JSON.stringify(message)}\n`);
}

/**
 * @param {Wire['id']} id
 * @param {unknown} result
 */
export function answer(id, result) {
  return send({ jsonrpc: '2.0', id, result });
}

/**
 * @param {Wire['id']} id
 * @param {number} code
 * @param {string} message
 * @param {unknown} [data]
 */
export function refuse(id, code, message, data) {
  return send({ jsonrpc: '2.0', id, error: { code, message, data } });
}

/**
 * @param {string} method
 * @param {unknown} [params]
 */
export function notify(method, params) {
  return send({ jsonrpc: '2.0', method, params });
}

/** @param {string} text */
export function text(text) {
  return { content: [{ type: 'text', text }] };
}

/** @param {string} name */
export function tool(name) {
  return { name, inputSchema: { type: 'object' } };
}

/** @type {Record<string, Handler>} */
const usual = {
  initialize: ({ id, params }) =>
    answer(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'plain', version: '1.0.0' },
    }),
  ping: ({ id }) => answer(id, {}),
  'tools/list': ({ id }) => answer(id, { tools: [tool('echo')] }),
  'tools/call': ({ id, params }) => answer(id, text(JSON.stringify(params.arguments))),
};

/**
 * Serves until stdin ends. Handlers by method, in place of the usual ones.
 * @param {Record<string, Handler>} [changed]
 */
export function serve(changed = {}) {
  readline.createInterface({ input: process.stdin }).on('line', (line) => {
    const message = /** @type {Wire} */ (JSON.parse(line));
    const { id, method } = message;
    if (method === undefined) changed['answer']?.(message);
    else if (Object.hasOwn(changed, method)) changed[method]?.(message);
    else if (Object.hasOwn(usual, method)) usual[method]?.(message);
    else if (id !== undefined) refuse(id, -32601, 'Method not found');
  });
}
