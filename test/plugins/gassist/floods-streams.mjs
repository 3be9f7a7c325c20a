// Streams 20 MiB in a hurry before it is done.
import { notify, serve } from './wire.mjs';

await serve({
  execute: (_, id) => {
    for (let count = 0; count < 320; count += 1)
      notify('stream', { request_id: id, data: 'x'.repeat(64 * 1024) });
    notify('complete', { request_id: id, success: true, data: 'done' });
  },
});
