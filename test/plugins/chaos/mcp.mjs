import { act, deeds } from './deeds.mjs';
import { answerLines } from './lines.mjs';

const tools = deeds.map((name) => ({ name, description: `to ${name}`, inputSchema: { type: 'object' } }));
answerLines({
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'chaos', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': async ({ name, arguments: args }) => ({
    content: [{ type: 'text', text: await act(name, args ?? {}) }],
  }),
});
