// Answers requests that nobody made before it answers the one that was.
import { answer, notify, serve } from './wire.mjs';

await serve({
  execute: (_, id) => {
    for (const wrong of [Number(id) + 1, Number(id) - 1, -1, 1e9, 'seven']) {
      notify('stream', { request_id: wrong, data: 'wrong' });
      notify('complete', { request_id: wrong, success: true, data: 'wrong' });
      answer(wrong, { success: true, data: 'wrong' });
    }
    notify('complete', { request_id: id, success: true, data: 'right' });
  },
});
