import { act, deeds } from './deeds.mjs';
import { answerLines } from './lines.mjs';

const tools = deeds.map((name) => ({ name, description: `to ${name}` }));
answerLines({
  'handshake.manifest': () => ({
    name: 'chaos',
    version: '1.0.0',
    interfaces: ['chaos_v1'],
    capabilities: { tools },
  }),
  'plugin.init': () => ({ status: 'initialized' }),
  'plugin.health': () => ({ status: 'ok' }),
  'plugin.shutdown': () => {
    setImmediate(() => process.exit(0));
    return null;
  },
  ...Object.fromEntries(deeds.map((name) => [name, async (params) => ({ text: await act(name, params) })])),
});
