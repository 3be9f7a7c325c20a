// Its tools and prompts have names that clients do not take, each near another one. A tool answers with its own name.
import { answer, serve, text, tool } from './plain-server.mjs';

const names = [
  'files.read',
  'files_read',
  'files/read',
  'Files.read',
  'öffnen',
  'x'.repeat(300),
  `${'x'.repeat(300)}y`,
];

serve({
  initialize({ id, params: { protocolVersion } }) {
    const serverInfo = { name: 'names-oddly', version: '1.0.0' };
    answer(id, { protocolVersion, capabilities: { tools: {}, prompts: {} }, serverInfo });
  },
  'tools/list'({ id }) {
    answer(id, { tools: names.map((name) => tool(name)) });
  },
  'tools/call'({ id, params }) {
    answer(id, text(params.name));
  },
  'prompts/list'({ id }) {
    answer(id, { prompts: names.map((name) => ({ name })) });
  },
  'prompts/get'({ id, params }) {
    answer(id, { messages: [{ role: 'user', content: { type: 'text', text: params.name } }] });
  },
});
