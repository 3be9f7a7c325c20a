// Quick calls are answered at once; a long one is lost when the input ends.
import { answer, serve, text, tool } from './plain-server.mjs';

serve({
  'tools/list': ({ id }) => answer(id, { tools: [tool('list'), tool('read_all')] }),
  'tools/call': ({ id, params }) => {
    if (params.name === 'list') answer(id, text('done'));
    else setTimeout(() => answer(id, text('done')), 600);
  },
});
process.stdin.on('end', () => process.exit(0));
