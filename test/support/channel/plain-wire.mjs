// The wire as a fixture program speaks it: plain Node, so that no fixture rests on the code it is to test.

/** Which framing, from the command line. */
export const framing = process.argv[2] === 'length-prefix' ? 'length-prefix' : 'lines';

/** @typedef {{ id?: unknown, method?: string, params?: unknown }} Wire */

/**
 * @param {unknown} message
 * @returns {Buffer}
 */
export function frame(message) {
  const body = Buffer.from(JSON.stringify(message));
  if (framing === 'lines') return Buffer.concat([body, Buffer.from('\n')]);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
}

/** @param {unknown} message */
export function send(message) {
  return process.stdout.write(frame(message));
}

/**
 * @param {unknown} id
 * @param {unknown} result
 */
export function answer(id, result) {
  return send({ jsonrpc: '2.0', id, result });
}

/**
 * Writes and waits until there is room for more.
 * @param {Buffer | string} bytes
 * @returns {Promise<void>}
 */
export function write(bytes) {
  return new Promise((resolve) => {
    if (process.stdout.write(bytes)) resolve();
    else process.stdout.once('drain', resolve);
  });
}

/**
 * Calls for every message that comes, one after the other.
 * @param {(message: Wire) => unknown} listener
 */
export async function receive(listener) {
  let rest = Buffer.alloc(0);
  for await (const chunk of process.stdin) {
    rest = Buffer.concat([rest, /** @type {Buffer} */ (chunk)]);
    for (let end = endOfFirst(rest); end !== -1; end = endOfFirst(rest)) {
      const body = framing === 'lines' ? rest.subarray(0, end) : rest.subarray(4, end);
      rest = rest.subarray(end);
      await listener(/** @type {Wire} */ (JSON.parse(body.toString())));
    }
  }
}

/** @param {Buffer} bytes */
function endOfFirst(bytes) {
  if (framing === 'lines') {
    const lineEnd = bytes.indexOf(0x0a);
    return lineEnd === -1 ? -1 : lineEnd + 1;
  }
  if (bytes.length < 4) return -1;
  const end = 4 + bytes.readUInt32BE();
  return end > bytes.length ? -1 : end;
}
