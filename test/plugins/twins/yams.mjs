// A YAMS plugin and its twins.
import { broken, Refusal, send, serve } from './core.mjs';

/** @type {Record<string, unknown>} */
const manifest = {
  name: broken('yams:manifest:name-form') ? 'my plugin' : 'twin',
  version: broken('yams:manifest:version') ? 'latest' : '1.0.0',
  description: 'Repeats what it is told',
  author: broken('yams:manifest:author') ? ['The tests'] : 'The tests',
  interfaces: broken('yams:manifest:interfaces') ? 'content_extractor_v1' : ['content_extractor_v1'],
  capabilities: {
    content_extraction: {
      formats: ['text/plain'],
      ...(broken('yams:manifest:capabilities') ? {} : { extensions: ['.txt'] }),
    },
    tools: [
      {
        name: 'text.repeat',
        description: 'Repeats a text',
        input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
    ],
  },
};
for (const field of ['name', 'description']) {
  if (broken(`yams:manifest:${field}`)) delete manifest[field];
}

let isInitialized = false;

function needInit() {
  if (isInitialized) return;
  if (broken('yams:errors:not-initialized')) throw new Refusal(-32000, 'not yet');
  const data = { reason: 'NotInitialized', required_method: 'plugin.init' };
  throw new Refusal(-32003, 'Plugin not initialized. Call plugin.init first.', data);
}

/** @param {string} message */
function invalid(message) {
  return new Refusal(-32602, message, broken('yams:errors:reason') ? {} : { reason: 'InvalidParams' });
}

/**
 * @param {Record<string, unknown>} params
 * @param {boolean} hasParams
 */
function init({ config }, hasParams) {
  if (broken('yams:plugin:init-absent') && !hasParams) throw invalid('params are required');
  if (broken('yams:plugin:init-bare') && hasParams && config === undefined)
    throw invalid('config is required');
  isInitialized = true;
  const status = broken('yams:init:status-initialized') ? 'ok' : 'initialized';
  return {
    ...(broken('yams:init:status') ? {} : { status }),
    config_applied: broken('yams:init:config-applied') ? 'all of it' : {},
  };
}

/** @param {Record<string, unknown>} params */
function supports({ mime_type: type, extension }) {
  needInit();
  const isNeither = type === undefined && extension === undefined;
  if (isNeither && !broken('yams:supports:at-least-one')) throw invalid('mime_type or extension is required');
  if (broken('yams:supports:mime-type') && extension === undefined) throw invalid('extension is required');
  if (broken('yams:supports:extension') && type === undefined) throw invalid('mime_type is required');
  return {
    supported: !broken('yams:supports:supported') && (type === 'text/plain' || extension === '.txt'),
    confidence: broken('yams:supports:confidence') ? 'high' : 1,
    method: broken('yams:supports:method') ? 7 : 'read',
  };
}

/** @param {Record<string, unknown>} params */
function extract({ source, options }) {
  needInit();
  const { extension = '.txt' } = /** @type {{ extension?: string }} */ (options ?? {});
  if (extension !== '.txt') {
    const code = broken('yams:errors:unsupported') ? -32000 : -32001;
    throw new Refusal(code, 'Unsupported format', { reason: 'UnsupportedFormat', extension });
  }
  if (source === undefined && broken('yams:extract:source')) return { success: true, content: '' };
  const { type, data } = /** @type {{ type?: string, data?: string }} */ (source ?? {});
  const isKnown =
    (type === 'bytes' && !broken('yams:extract:required')) ||
    (type === 'path' && !broken('yams:extract:source-path'));
  if (!isKnown) throw invalid('source is required');
  const isBroken = data !== undefined && !/^[\w+/]*=*$/.test(data);
  if (isBroken && !broken('yams:extract:source-data')) throw invalid('data is no base64');
  return {
    ...(broken('yams:extract:success') ? {} : { success: true }),
    content: broken('yams:extract:content') ? ['text'] : 'text',
    metadata: broken('yams:extract:metadata') ? 'none' : {},
    stats: broken('yams:extract:stats') ? 1 : {},
  };
}

serve({
  framing: 'lines',
  largestMessage: 1024 * 1024,
  calls: ['text.repeat', 'extractor.extract'],
  goodbye: 'plugin.shutdown',
  staysAfterGoodbye: broken('yams:shutdown:cleanup'),
  ignoresBadJson: broken('yams:error-code:-32700'),
  mistakesNoMethod: broken('yams:error-code:-32600'),
  takesBatches: !broken('yams:plugin:batch'),
  hidesUnknownMethod: broken('yams:response:error-example'),
  methods: {
    'handshake.manifest': () => (broken('yams:manifest:required') ? 'twin' : manifest),
    'plugin.init': (params, _, hasParams) => init(params, hasParams),
    'plugin.health'(_, id) {
      const health = { status: broken('yams:health:status') ? 'fine' : 'ok' };
      if (typeof id === 'number' || !broken('yams:request:id')) return health;
      send({ id: 0, result: health });
      return undefined;
    },
    'plugin.shutdown'() {
      if (broken('yams:plugin:probe')) needInit();
      if (broken('yams:shutdown:required')) return undefined;
      return broken('yams:shutdown:example-response') ? {} : null;
    },
    'extractor.supports': supports,
    'extractor.extract': extract,
    'text.repeat'({ text }) {
      needInit();
      if (typeof text === 'string') return { text };
      if (broken('yams:error-code:-32602')) return { text: '' };
      throw invalid('text is required');
    },
  },
  notifications: {
    'plugin.health'() {
      if (broken('yams:request:id-omitted')) send({ id: null, result: { status: 'ok' } });
    },
  },
});
