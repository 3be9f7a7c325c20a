// Does as extensions on the Go SDK do: gives up at lines of 64 KiB, at blank lines and at what is no JSON; says `unknown operation`
// in a result; puts a null result beside errors; escapes <, > and &.
/** @typedef {import('../../support/dialect/gevals/plain-wire.mjs').Wire} Wire */

const manifest = {
  name: 'go',
  version: 'v0.1.0',
  protocolVersion: '0.0.1',
  description: 'Echoes',
  requires: null,
  operations: {
    echo: { description: 'Gives back what it gets', params: { type: 'object' } },
    refuse: { description: 'Fails', params: true },
    anything: { description: 'Is not there', params: true },
  },
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
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return giveUp('no message');
  if (!('jsonrpc' in message)) giveUp('no version of JSON-RPC');
  const { id, method, params } = message;
  // A message without a method is a response to nothing that was asked.
  if (id === undefined || id === null || method === undefined) return;
  if (method === 'shutdown') {
    send({ id, result: {} });
    isOver = true;
  } else if (method === 'initialize') {
    if (params?.protocolVersion !== '0.0.1') refuse(id, -32602, 'unsupported protocol version');
    else if (process.argv.includes('--without-kubeconfig'))
      refuse(id, -32603, 'initialization failed: no kubeconfig at ~/.kube/config');
    else send({ id, result: manifest });
  } else if (method !== 'execute') {
    refuse(id, -32601, `method not found: ${method}`);
  } else if (typeof params !== 'object') {
    refuse(id, -32602, 'invalid params');
  } else if (params?.operation === 'echo') {
    const { args, context } = params;
    send({
      id,
      result: {
        success: true,
        message: JSON.stringify(args),
        outputs: { agent: JSON.stringify(context?.agent ?? null) },
      },
    });
  } else if (params?.operation === 'refuse') {
    refuse(id, -32603, 'a <panic> & more');
  } else {
    send({ id, result: { success: false, error: `unknown operation: ${params?.operation ?? ''}` } });
  }
}

/**
 * @param {unknown} id
 * @param {number} code
 * @param {string} message
 */
function refuse(id, code, message) {
  send({ id, result: null, error: { code, message } });
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
