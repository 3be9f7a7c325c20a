// The tool that looks most harmless is quick; the one after it blocks for as long as a person notices.
import { answer, serve, text, tool } from './plain-server.mjs';

serve({
  'tools/list': ({ id }) => answer(id, { tools: [tool('list'), tool('read_all')] }),
  'tools/call': ({ id, params }) => {
    if (params.name === 'read_all') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    answer(id, text('done'));
  },
});
