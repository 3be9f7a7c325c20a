// The deeds as methods of a YAMS plugin, beside an extractor: data, and failures with a reason and details.
import fs from 'node:fs';
import { Failure, serve } from '../../support/dialect/yams/plain-yams.mjs';
import { crash, failure, greeting, never, tools } from './deeds.mjs';

/** @type {Record<string, unknown> | undefined} */
let config;

/** @param {import('../../support/dialect/yams/plain-yams.mjs').Source} source */
function read(source) {
  if (source.type === 'path') return fs.readFileSync(source.path);
  if (source.type === 'bytes') return Buffer.from(source.data, 'base64');
  throw new Failure(-32602, 'There is no such type of source.');
}

await serve({
  'handshake.manifest': () => ({
    name: 'served',
    version: '1.2.3',
    description: 'Greets.',
    author: 'The tests',
    interfaces: ['content_extractor_v1'],
    capabilities: {
      content_extraction: { formats: ['text/plain'], extensions: ['.txt'] },
      tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    },
  }),
  'plugin.init': (params) => {
    ({ config } = params);
    return { status: 'initialized', config_applied: config };
  },
  'plugin.health': () => ({ status: 'degraded', message: 'It is late.' }),
  'plugin.shutdown': () => {
    setImmediate(() => process.exit(0));
    return null;
  },
  'extractor.supports': ({ extension }) => ({ supported: extension === '.txt' }),
  'extractor.extract': ({ source, options: { extension = '.txt' } = {} }) => {
    if (extension !== '.txt')
      throw new Failure(-32001, 'Unsupported file format', { extension, supported_formats: ['text/plain'] });
    return { success: true, content: read(source).toString(), metadata: { a: 'b' } };
  },
  greet: ({ name }) => ({ text: greeting(name, config?.['greeting']).join(''), length: name.length }),
  fail: () => {
    const { message, reason, details } = failure;
    throw new Failure(-32000, message, { reason, details, recoverable: true });
  },
  wait: never,
  crash,
});
