// The deeds as operations of a gevals extension: logs, outputs, and failures in words.
import { answerLines, send } from '../chaos/lines.mjs';
import { beginning, crash, failure, greeting, never, tools } from './deeds.mjs';

/** @type {Record<string, (args: { name: string }) => unknown>} */
const operations = {
  greet: ({ name }) => ({
    success: true,
    message: greeting(name, config?.greeting).join(''),
    outputs: { length: String(name.length) },
  }),
  fail: () => ({ success: false, message: 'It failed', error: failure.message, outputs: { tries: '1' } }),
  wait: never,
  crash,
};

/** @type {{ greeting?: string } | undefined} */
let config;

answerLines({
  initialize: (params) => {
    config = params.config;
    return {
      name: 'served',
      version: '1.2.3',
      protocolVersion: '0.0.1',
      description: 'Greets.',
      operations: Object.fromEntries(
        tools.map(({ name, description, schema }) => [name, { description, params: schema }]),
      ),
    };
  },
  execute: ({ operation, args }) => {
    send({ method: 'log', params: { level: 'info', message: beginning(operation) } });
    return operations[operation]?.(args);
  },
  shutdown: () => {
    setImmediate(() => process.exit(0));
    return {};
  },
});
