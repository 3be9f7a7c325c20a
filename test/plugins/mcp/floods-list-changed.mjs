// Says ten thousand times that its tools have changed, and counts how often it is asked for them.
import { answer, notify, serve, text, tool } from './plain-server.mjs';

let asked = 0;
serve({
  'tools/list'({ id }) {
    asked += 1;
    answer(id, { tools: [tool(`asked-${asked}`)] });
  },
  'tools/call'({ id }) {
    for (let times = 0; times < 10_000; times += 1) notify('notifications/tools/list_changed');
    answer(id, text('flooded'));
  },
});
