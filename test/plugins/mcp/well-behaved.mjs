// All that a host may use: paged tools, progress, logs, cancellation, list changes, resources and prompts.
import { answer, notify, refuse, serve, text } from './plain-server.mjs';

const object = { type: 'object' };
/** @type {object[]} */
const tools = [
  {
    name: 'add',
    title: 'Adder',
    description: 'Adds two numbers.',
    inputSchema: {
      ...object,
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    outputSchema: { ...object, properties: { sum: { type: 'number' } }, required: ['sum'] },
    annotations: { readOnlyHint: true, idempotentHint: true },
  },
  { name: 'count', description: 'Counts with progress and logs.', inputSchema: object },
  { name: 'wait', description: 'Waits until it is cancelled.', inputSchema: object },
  { name: 'grow', description: 'Adds a tool.', inputSchema: object },
  { name: 'fail', description: 'Fails.', inputSchema: object },
  { name: 'picture', description: 'Shows a picture.', inputSchema: object },
];
/** @typedef {import('./plain-server.mjs').Wire} Wire */
/** @type {Record<string, (id: Wire['id'], args: Wire['params']['arguments'], token: number) => unknown>} */
const calls = {
  add: (id, { a, b }) => answer(id, { ...text(`${a + b}`), structuredContent: { sum: a + b } }),
  count(id, _, progressToken) {
    for (const progress of [1, 2, 3]) {
      notify('notifications/progress', { progressToken, progress, total: 3, message: `step ${progress}` });
    }
    notify('notifications/message', { level: 'notice', logger: 'counter', data: 'counted' });
    answer(id, text('three'));
  },
  wait() {
    notify('notifications/message', { level: 'debug', data: 'waiting' });
  },
  grow(id) {
    tools.push({ name: `grown-${tools.length}`, inputSchema: object });
    notify('notifications/tools/list_changed');
    answer(id, text('grown'));
  },
  fail: (id) => answer(id, { ...text('That did not work.'), isError: true }),
  picture: (id) => answer(id, { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }),
};

serve({
  initialize: ({ id, params }) =>
    answer(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, logging: {} },
      serverInfo: {
        name: 'well-behaved',
        version: '1.0.0',
        title: 'Well behaved',
        description: 'Does it all.',
      },
      instructions: 'Add before you count.',
    }),
  'tools/list': ({ id, params }) => {
    const start = Number(params?.cursor ?? 0);
    const nextCursor = start + 4 < tools.length ? `${start + 4}` : undefined;
    answer(id, { tools: tools.slice(start, start + 4), nextCursor });
  },
  'tools/call': ({ id, params }) => {
    const call = calls[params.name];
    if (call === undefined) refuse(id, -32602, `Unknown tool: ${params.name}`);
    else call(id, params.arguments, params._meta.progressToken);
  },
  'notifications/cancelled': ({ params }) =>
    notify('notifications/message', { level: 'info', data: `cancelled: ${params.reason}` }),
  'resources/list': ({ id }) => answer(id, { resources: [{ uri: 'note:1', name: 'one' }] }),
  'resources/templates/list': ({ id }) =>
    answer(id, { resourceTemplates: [{ uriTemplate: 'note:{n}', name: 'note' }] }),
  'resources/read': ({ id, params }) =>
    params.uri === 'note:1'
      ? answer(id, { contents: [{ uri: 'note:1', text: 'first' }] })
      : refuse(id, -32002, 'Resource not found', { uri: params.uri }),
  'prompts/list': ({ id }) =>
    answer(id, { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }] }),
  'prompts/get': ({ id, params }) =>
    answer(id, {
      messages: [{ role: 'user', content: { type: 'text', text: `Greet ${params.arguments.who}.` } }],
    }),
});
