// An MCP server and its twins.
import { broken, notify, Refusal, refuseUnknown, serve } from './core.mjs';

serve({
  framing: 'lines',
  largestMessage: 1024 * 1024,
  calls: ['tools/call'],
  notifications: {
    'notifications/initialized': () => {},
    'notifications/cancelled': () => {
      if (broken('fault:cancel')) process.exit(1);
    },
  },
  methods: {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {}, logging: {} },
      serverInfo: { name: 'twin', version: '1.0.0' },
      instructions: 'Say something.',
    }),
    ping: () => ({}),
    'tools/list': () => ({
      tools: [
        {
          name: 'repeat',
          description: 'Repeats a text',
          inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        },
      ],
    }),
    'tools/call'({ name, arguments: args }, id) {
      if (typeof name !== 'string') throw new Refusal(-32602, 'name is required');
      if (name !== 'repeat') return refuseUnknown(id, new Refusal(-32602, `Unknown tool: ${name}`));
      notify('notifications/message', { level: 'info', data: 'repeating' });
      return { content: [{ type: 'text', text: JSON.stringify(args) }] };
    },
  },
});
