// Every answer comes two times, and one more with an id that was never sent.
import { answer, serve, text } from './plain-server.mjs';

serve({
  'tools/call'({ id }) {
    answer(`${id}-other`, text('whose?'));
    answer(id, text('first'));
    answer(id, text('second'));
  },
});
