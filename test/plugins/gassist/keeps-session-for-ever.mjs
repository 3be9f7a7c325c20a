// Never lets the user out of its session.
import { answer, notify, serve } from './wire.mjs';

/** @param {unknown} id */
const stay = (id) => notify('complete', { request_id: id, success: true, data: 'Stay.', keep_session: true });

await serve({
  execute: (_, id) => stay(id),
  input: (_, id) => {
    answer(id, { acknowledged: true });
    stay(id);
  },
});
