// A call makes progress all the time and never ends, until it is cancelled.
import { notify, serve } from './plain-server.mjs';

/** @type {NodeJS.Timeout | undefined} */
let timer;
serve({
  'tools/call'({ params }) {
    let progress = 0;
    timer = setInterval(() => {
      progress += 1;
      notify('notifications/progress', { progressToken: params._meta.progressToken, progress });
    }, 1);
  },
  'notifications/cancelled': () => clearInterval(timer),
});
