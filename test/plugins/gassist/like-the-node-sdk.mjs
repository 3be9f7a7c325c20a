// Does as plugins on the official SDK for Node do: no capabilities, one message after the other, silence at unknown methods, and an
// exit at what is no JSON, no object or too large.
/** @typedef {{ timestamp?: number, function?: string, arguments?: { name?: string }, content?: string }} Params */
/** @typedef {{ id?: unknown, method?: string, params?: Params }} Wire */

const MAX = 10 * 1024 * 1024;

let rest = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  rest = Buffer.concat([rest, /** @type {Buffer} */ (chunk)]);
  while (rest.length >= 4) {
    const length = rest.readUInt32BE(0);
    if (length > MAX || length === 0) leave(`Invalid message length: ${length}`);
    if (rest.length < 4 + length) break;
    await take(parsed(rest.toString('utf8', 4, 4 + length)));
    rest = rest.subarray(4 + length);
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    const message = /** @type {Wire | null} */ (JSON.parse(text));
    return message ?? leave('It is empty');
  } catch (error) {
    return leave(String(error));
  }
}

/** @param {Wire} message */
async function take({ id, method = '', params }) {
  const { timestamp, function: name = '', content = '', ...more } = params || {};
  const args = more.arguments || {};
  switch (method) {
    case 'ping':
      return send({ id, result: { timestamp } });
    case 'initialize': {
      const commands = [{ name: 'get_greeting', description: '' }];
      const about = {
        name: 'like-the-node-sdk',
        version: '1.0.0',
        description: 'Greets',
        protocol_version: '2.0',
      };
      return send({ id, result: { ...about, commands } });
    }
    case 'execute': {
      if (name !== 'get_greeting') return fail(id, `Unknown command: ${name}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
      return complete(id, `Hello, ${args.name ?? 'World'}!`);
    }
    case 'input':
      send({ id, result: { acknowledged: true } });
      return complete(id, content);
    case 'shutdown':
      process.exit(0);
  }
}

/**
 * @param {unknown} id
 * @param {string} message
 */
function fail(id, message) {
  send({ method: 'error', params: { request_id: id, code: -32601, message } });
}

/**
 * @param {unknown} id
 * @param {string} data
 */
function complete(id, data) {
  send({ method: 'complete', params: { request_id: id, success: true, data, keep_session: false } });
}

/** @param {object} message */
function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  process.stdout.write(Buffer.concat([head, body]));
}

/**
 * @param {string} why
 * @returns {never}
 */
function leave(why) {
  console.error(`Protocol read error: ${why}`);
  process.exit(0);
}
