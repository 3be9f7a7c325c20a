// A YAMS plugin and its twins.
import { Refusal, serve } from './core.mjs';

serve({
  framing: 'lines',
  largestMessage: 1024 * 1024,
  calls: ['text.repeat', 'extractor.extract'],
  goodbye: 'plugin.shutdown',
  methods: {
    'handshake.manifest': () => ({
      name: 'twin',
      version: '1.0.0',
      description: 'Repeats what it is told',
      author: 'The tests',
      interfaces: ['content_extractor_v1'],
      capabilities: {
        content_extraction: { formats: ['text/plain'], extensions: ['.txt'] },
        tools: [
          {
            name: 'text.repeat',
            description: 'Repeats a text',
            input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
          },
        ],
      },
    }),
    'plugin.init': () => ({ status: 'initialized' }),
    'plugin.health': () => ({ status: 'ok' }),
    'plugin.shutdown': () => null,
    'extractor.supports': ({ mime_type: type, extension }) => ({
      supported: type === 'text/plain' || extension === '.txt',
      confidence: 1,
      method: 'read',
    }),
    'extractor.extract': () => ({ success: true, content: 'text', metadata: {}, stats: {} }),
    'text.repeat'({ text }) {
      if (typeof text !== 'string') throw new Refusal(-32602, 'text is required');
      return { text };
    },
  },
});
