// A YAMS plugin in plain Node, by the specification: what a fixture does not say otherwise is well behaved.
import { answer, receive, send } from '../../channel/plain-wire.mjs';

/** @typedef {{ type: 'path', path: string } | { type: 'bytes', data: string } | { type: 'other' }} Source */
/**
 * The params of all methods together: which there are depends on the method.
 * @typedef {object} Params
 * @property {Record<string, unknown>} config
 * @property {string} [mime_type]
 * @property {string} [extension]
 * @property {Source} source
 * @property {Record<string, unknown>} [options]
 * @property {string} text
 * @property {string} name
 */
/** @typedef {(params: Params) => unknown} Handler */

/** What a handler returns to give no answer. */
export const silence = Symbol('no answer');

const manifest = {
  name: 'fixture',
  version: '1.0.0',
  interfaces: ['content_extractor_v1'],
  capabilities: { content_extraction: { formats: ['text/plain'], extensions: ['.txt'] } },
};

/** What a handler throws to answer with an error. */
export class Failure extends Error {
  /**
   * @param {number} code
   * @param {string} message
   * @param {unknown} [data]
   */
  constructor(code, message, data) {
    super(message);
    this.error = { code, message, data };
  }
}

/**
 * Serves until the input is over.
 * @param {Record<string, Handler | undefined>} handlers
 * @returns {Promise<void>}
 */
export function serve(handlers = {}) {
  /** @type {Record<string, Handler | undefined>} */
  const all = {
    'handshake.manifest': () => manifest,
    'plugin.init': () => ({ status: 'initialized' }),
    'plugin.health': () => ({ status: 'ok' }),
    'plugin.shutdown': () => {
      setImmediate(() => process.exit(0));
      return null;
    },
    'extractor.supports': ({ extension }) => ({ supported: extension === '.txt' }),
    'extractor.extract': () => ({ success: true, content: 'text' }),
    ...handlers,
  };
  return receive(async ({ id, method = '', params }) => {
    try {
      const handler = all[method];
      if (handler === undefined) throw new Failure(-32601, 'Method not found', { method });
      const result = await handler(/** @type {Params} */ (params ?? {}));
      if (result !== silence) answer(id, result ?? null);
    } catch (thrown) {
      const error = thrown instanceof Failure ? thrown.error : { code: -32603, message: String(thrown) };
      send({ jsonrpc: '2.0', id, error });
    }
  });
}
