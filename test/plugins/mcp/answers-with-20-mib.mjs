// One answer is over every limit, the others are small.
import { answer, serve, text } from './plain-server.mjs';

serve({
  'tools/call': ({ id, params }) =>
    answer(id, text('x'.repeat(params.arguments.large ? 20 * 1024 * 1024 : 5))),
});
