// Promises a number and answers with a word.
import { answer, serve } from './plain-server.mjs';

const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
serve({
  'tools/list': ({ id }) =>
    answer(id, { tools: [{ name: 'number', inputSchema: { type: 'object' }, outputSchema }] }),
  'tools/call': ({ id }) => answer(id, { content: [], structuredContent: { n: 'seven' } }),
});
