// A plugin on the SDK with all that a YAMS host can ask for, and a few ways to fail.
import { definePlugin, extractor, fail, failures, serve } from 'pluglot/sdk';

serve(
  definePlugin({
    name: 'many-formats',
    version: '1.2.3',
    description: 'For tests.',
    author: 'The tests',
    config: {
      type: 'object',
      properties: { greeting: { type: 'string', default: 'Hello' }, ghidra: { type: 'boolean' } },
      additionalProperties: false,
    },
    setup({ config }) {
      console.log('printed at setup');
      if (config.ghidra === true) {
        failures.dependencyMissing({
          dependency: 'ghidra',
          envVar: 'GHIDRA_INSTALL_DIR',
          configKey: 'ghidra_install',
        });
      }
    },
    tools: {
      greet: {
        description: 'Greets.',
        input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        handler({ name }, { config, log }) {
          console.log('greeting', name);
          log('debug', 'about to greet', { name });
          return `${config.greeting}, ${name}!`;
        },
      },
      count: {
        async *handler() {
          yield 'one ';
          yield 'two ';
          return { counted: 2 };
        },
      },
      break: {
        handler() {
          throw new Error('broken');
        },
      },
    },
    extractor: extractor({
      formats: ['text/plain'],
      extensions: ['.txt'],
      async extract({ read, source, type, options }) {
        const text = Buffer.from(await read()).toString('utf8');
        if (text === 'bad') fail({ message: 'It is bad.', reason: 'BadContent', recoverable: false });
        return {
          text,
          metadata: { from: source.kind, ...type },
          stats: { characters: text.length, ...options },
        };
      },
    }),
  }),
);
