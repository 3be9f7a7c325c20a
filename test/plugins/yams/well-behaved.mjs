// Does all that the specification asks for, with tools beside the extractor; keeps a file while it runs.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Failure, serve } from '../../support/dialect/yams/plain-yams.mjs';

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'yams-fixture-'));
let extracted = 0;
/** @type {Record<string, unknown> | undefined} */
let config;

/** @param {import('../../support/dialect/yams/plain-yams.mjs').Source} source */
function read(source) {
  if (source.type === 'path') return fs.readFileSync(source.path);
  if (source.type === 'bytes') return Buffer.from(source.data, 'base64');
  throw new Failure(-32602, `No source of type ${source.type}`);
}

await serve({
  'handshake.manifest': () => ({
    name: 'well_behaved',
    version: '1.2.3',
    description: 'A plugin that does all it should.',
    author: 'The tests',
    interfaces: ['content_extractor_v1'],
    capabilities: {
      content_extraction: { formats: ['text/plain'], extensions: ['.txt'] },
      tools: [
        {
          name: 'text.reverse',
          description: 'Reverses a text.',
          input_schema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
        },
      ],
    },
  }),
  'plugin.init': (params) => {
    config = params.config;
    return { status: 'initialized', config_applied: { ...config, scratch } };
  },
  'plugin.health': () => ({ status: config === undefined ? 'degraded' : 'ok', extracted }),
  'plugin.shutdown': () => {
    fs.rmSync(scratch, { recursive: true });
    setImmediate(() => process.exit(0));
    return null;
  },
  'extractor.supports': ({ mime_type, extension }) => {
    const supported = mime_type === 'text/plain' || extension === '.txt';
    return { supported, confidence: supported ? 0.9 : 0, method: 'read' };
  },
  'extractor.extract': ({ source, options = {} }) => {
    const { max_functions = 100, decompile = true, include_metadata = true, timeout_sec = 10 } = options;
    const content = read(source).toString();
    extracted += 1;
    return {
      success: true,
      content,
      metadata: include_metadata ? { length: String(content.length) } : {},
      stats: { extracted, max_functions, decompile, timeout_sec },
    };
  },
  'text.reverse': ({ text }) => Array.from(text).reverse().join(''),
});
