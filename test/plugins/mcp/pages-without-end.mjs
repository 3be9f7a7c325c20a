// There is always one more page of tools.
import { answer, serve, tool } from './plain-server.mjs';

let page = 0;
serve({
  'tools/list'({ id }) {
    page += 1;
    answer(id, { tools: [tool(`tool-${page}`)], nextCursor: `page ${page}` });
  },
});
