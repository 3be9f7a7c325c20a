// A hundred thousand steps of progress for one call, most of them for calls that do not exist.
import { answer, notify, serve, text } from './plain-server.mjs';

serve({
  'tools/call'({ id, params }) {
    const { progressToken } = params._meta;
    for (let progress = 1; progress <= 100_000; progress += 1) {
      notify('notifications/progress', {
        progressToken: progress % 10 === 0 ? progressToken : -progress,
        progress,
      });
    }
    answer(id, text('done'));
  },
});
