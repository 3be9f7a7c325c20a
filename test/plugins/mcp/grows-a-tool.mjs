// Has one tool more after each call, and says so.
import { answer, notify, serve, text, tool } from './plain-server.mjs';

const tools = [tool('grow')];
serve({
  'tools/list'({ id }) {
    answer(id, { tools });
  },
  'tools/call'({ id }) {
    tools.push(tool(`grown-${tools.length}`));
    answer(id, text('grown'));
    notify('notifications/tools/list_changed');
  },
});
