// Tells what it was configured with, wherever a plugin can say something.
import { Failure, serve } from '../../support/dialect/yams/plain-yams.mjs';

/** @type {Record<string, unknown>} */
let config = {};
const words = () => Object.values(config).join(' and ');

await serve({
  'handshake.manifest': () => ({
    name: 'tells_its_configuration',
    version: '1.0.0',
    capabilities: { tools: [{ name: 'told.config' }, { name: 'told.failure' }] },
  }),
  'plugin.init': (params) => {
    config = params.config;
    process.stderr.write(`configured with ${words()}\n`);
    return { status: 'initialized', config_applied: { note: words(), ...config } };
  },
  'plugin.health': () => ({ status: 'degraded', message: `as configured: ${words()}`, details: [words()] }),
  'told.config': () => words(),
  'told.failure': () => {
    throw new Failure(-32000, `failed with ${words()}`, { words: words() });
  },
});
