// Well behaved: makes and checks files in the workdir of a task. Written from the specification, on Node alone.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';

/** @typedef {{ protocolVersion?: string, config?: unknown, operation: string, args: Record<string, string>, context: { workdir: string } }} Params */

const manifest = {
  name: 'files',
  version: '1.0.0',
  protocolVersion: '0.0.1',
  description: 'Makes and checks files',
  requires: [{ command: 'node' }],
  operations: {
    create: {
      description: 'Create a file',
      params: {
        type: 'object',
        properties: { file: { type: 'string' }, text: { type: 'string', default: '' } },
        required: ['file'],
      },
    },
    exists: {
      description: 'Check that a file is there',
      params: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
    },
    tell: { description: 'Tell what came', params: true },
  },
};

/** @type {Record<string, (args: Record<string, string>, context: { workdir: string }) => object>} */
const operations = {
  create({ file = '', text = '' }, { workdir }) {
    log('info', `Creating ${file}`);
    fs.writeFileSync(path.resolve(workdir, file), text);
    return { success: true, message: `Created ${file}`, outputs: { size: String(Buffer.byteLength(text)) } };
  },
  exists({ file = '' }, { workdir }) {
    const found = fs.existsSync(path.resolve(workdir, file));
    return found
      ? { success: true, message: `${file} is there` }
      : {
          success: false,
          message: 'Not found',
          error: `${file} is not in ${workdir}`,
          outputs: { looked: '1' },
        };
  },
  tell: (args, context) => ({
    success: true,
    outputs: { args: JSON.stringify(args), context: JSON.stringify(context), config: JSON.stringify(config) },
  }),
};

/** @type {unknown} */
let config;

for await (const line of readline.createInterface({ input: process.stdin })) {
  const goOn = take(line);
  if (!goOn) break;
}
process.stdin.destroy();

/**
 * False after a shutdown.
 * @param {string} line
 */
function take(line) {
  /** @type {{ id?: number, method?: string, params: Params }} */
  let message;
  try {
    message = /** @type {typeof message} */ (JSON.parse(line));
  } catch {
    send({ id: null, error: { code: -32700, message: 'Parse error' } });
    return true;
  }
  const { id, method, params } = message;
  switch (method) {
    case 'initialize':
      if (params.protocolVersion !== '0.0.1')
        send({ id, error: { code: -32602, message: 'unsupported protocol version' } });
      else {
        config = params.config;
        send({ id, result: manifest });
      }
      return true;
    case 'execute':
      send({ id, ...execute(params) });
      return true;
    case 'shutdown':
      console.error('goodbye');
      send({ id, result: {} });
      return false;
    default:
      send({ id, error: { code: -32601, message: `Unknown method: ${method}` } });
      return true;
  }
}

/** @param {Partial<Params>} params */
function execute(params) {
  if (typeof params.operation !== 'string')
    return { error: { code: -32600, message: 'operation is missing' } };
  const operation = operations[params.operation];
  if (operation === undefined)
    return { error: { code: -32601, message: `Unknown operation: ${params.operation}` } };
  if (params.operation !== 'tell' && typeof params.args?.['file'] !== 'string')
    return { error: { code: -32602, message: 'file is required' } };
  return { result: operation(params.args ?? {}, params.context ?? { workdir: '.' }) };
}

/**
 * @param {string} level
 * @param {string} message
 */
function log(level, message) {
  send({ method: 'log', params: { level, message } });
}

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
