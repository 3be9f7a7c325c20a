// Does as extensions on the Go SDK do: gives up at lines of 64 KiB, at blank lines and at what is no JSON; says `unknown operation`
// in a result; puts a null result beside errors; escapes <, > and &.
/** @typedef {import('../../support/gevals-wire.mjs').Wire} Wire */

const manifest = {
  name: 'go',
  version: 'v0.1.0',
  protocolVersion: '0.0.1',
  description: '',
  requires: null,
  operations: { echo: { params: { type: 'object' } }, refuse: { params: true }, anything: {} },
};

let isOver = false;
let rest = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  rest = Buffer.concat([rest, /** @type {Buffer} */ (chunk)]);
  for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
    if (end >= 65_536) giveUp('bufio.Scanner: token too long');
    take(rest.toString('utf8', 0, end));
    rest = rest.subarray(end + 1);
  }
  if (isOver) break;
  if (rest.length >= 65_536) giveUp('bufio.Scanner: token too long');
}

/** @param {string} line */
function take(line) {
  /** @type {Wire} */
  let message;
  try {
    message = /** @type {Wire} */ (JSON.parse(line));
  } catch {
    return giveUp(`invalid character in ${JSON.stringify(line)}`);
  }
  const { id, method, params } = message;
  if (typeof id !== 'number') giveUp('the id is no integer');
  if (method === 'shutdown') {
    send({ id, result: {} });
    isOver = true;
  } else if (method === 'initialize') {
    if (params.protocolVersion === '0.0.1') send({ id, result: manifest });
    else send({ id, result: null, error: { code: -32602, message: 'unsupported protocol version' } });
  } else if (params.operation === 'echo') {
    const { args, context } = params;
    send({
      id,
      result: {
        success: true,
        message: JSON.stringify(args),
        outputs: { agent: JSON.stringify(context.agent ?? null) },
      },
    });
  } else if (params.operation === 'refuse') {
    send({ id, result: null, error: { code: -32603, message: 'a <panic> & more' } });
  } else {
    send({ id, result: { success: false, error: `unknown operation: ${params.operation}` } });
  }
}

/** @param {object} message */
function send(message) {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message }).replace(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
  process.stdout.write(`${text}\n`);
}

/**
 * @param {string} reason
 * @returns {never}
 */
function giveUp(reason) {
  console.error(`run error: ${reason}`);
  process.exit(1);
}
