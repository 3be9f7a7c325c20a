// The deeds as tools of an MCP server: progress, logs, structured content, cancellation, instructions and hints.
import { answer, notify, refuse, serve, text } from '../mcp/plain-server.mjs';
import { beginning, crash, failure, greeting, tools } from './deeds.mjs';

/** @typedef {import('../mcp/plain-server.mjs').Wire} Wire */
/** @type {Record<string, (id: Wire['id'], args: Wire['params']['arguments'], token: number) => unknown>} */
const calls = {
  greet(id, { name }, progressToken) {
    notify('notifications/progress', { progressToken, progress: 1, total: 2, message: 'half' });
    answer(id, { ...text(greeting(name).join('')), structuredContent: { length: name.length } });
  },
  fail: (id) => answer(id, { ...text(failure.message), isError: true }),
  wait: () => {},
  crash,
};

serve({
  initialize: ({ id, params }) =>
    answer(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {}, logging: {} },
      serverInfo: { name: 'served', version: '1.2.3', description: 'Greets.' },
      instructions: 'Greet before you fail.',
    }),
  'tools/list': ({ id }) =>
    answer(id, {
      tools: tools.map(({ name, description, schema }) => ({
        name,
        description,
        inputSchema: schema,
        annotations: { readOnlyHint: name === 'greet' },
      })),
    }),
  'tools/call': ({ id, params }) => {
    const call = calls[params.name];
    notify('notifications/message', { level: 'info', data: beginning(params.name) });
    if (call === undefined) refuse(id, -32602, `Unknown tool: ${params.name}`);
    else call(id, params.arguments, params._meta.progressToken);
  },
  'notifications/cancelled': () =>
    notify('notifications/message', { level: 'info', data: 'heard that it was cancelled' }),
});
