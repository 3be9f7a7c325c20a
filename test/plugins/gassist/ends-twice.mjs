// Ends each call by an error, a complete and a result, as the emulator's example does it with the first two.
import { answer, notify, serve } from './wire.mjs';

await serve({
  execute: (_, id) => {
    notify('error', { request_id: id, code: -1, message: 'the first end' });
    notify('complete', { request_id: id, success: false, data: 'the second end' });
    answer(id, { success: true, data: 'the third end' });
  },
});
