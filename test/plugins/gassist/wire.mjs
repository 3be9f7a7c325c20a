// The wire of G-Assist V2 as a fixture program speaks it: plain Node, written from the specification.

/** @typedef {{ function?: string, arguments?: Record<string, unknown>, context?: unknown, system_info?: unknown, content?: string, timestamp?: unknown }} Params */
/** @typedef {{ id?: unknown, method?: string, params?: Params }} Message */
/** @typedef {(params: Params, id: unknown) => unknown} Handler */

/**
 * @param {unknown} message
 * @returns {Buffer}
 */
export function frame(message) {
  const body = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
}

/** @param {object} message */
export function send(message) {
  process.stdout.write(frame({ jsonrpc: '2.0', ...message }));
}

/**
 * @param {unknown} id
 * @param {unknown} result
 */
export function answer(id, result) {
  send({ id, result });
}

/**
 * @param {string} method
 * @param {object} [params]
 */
export function notify(method, params) {
  send({ method, params });
}

/** @type {Record<string, Handler>} */
const manners = {
  initialize: (_, id) =>
    answer(id, {
      name: 'fixture',
      version: '1.0.0',
      protocol_version: '2.0',
      commands: [{ name: 'work', description: 'Works.' }],
    }),
  ping: ({ timestamp }, id) => answer(id, { timestamp }),
  execute: (_, id) =>
    notify('complete', { request_id: id, success: true, data: 'done', keep_session: false }),
  shutdown: () => process.exit(0),
};

/**
 * Serves until stdin ends: with these handlers, and with good manners where there is none. Messages are handled as they come.
 * @param {Record<string, Handler>} [handlers]
 */
export async function serve(handlers = {}) {
  let rest = Buffer.alloc(0);
  for await (const chunk of process.stdin) {
    rest = Buffer.concat([rest, /** @type {Buffer} */ (chunk)]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE();
      const message = /** @type {Message} */ (JSON.parse(rest.subarray(4, end).toString()));
      rest = rest.subarray(end);
      const handler = handlers[message.method ?? ''] ?? manners[message.method ?? ''];
      handler?.(message.params ?? {}, message.id);
    }
  }
}
