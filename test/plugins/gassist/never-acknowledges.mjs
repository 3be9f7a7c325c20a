// Knows no inputs and stays silent, as SDKs do when a method is unknown to them.
import { notify, serve } from './wire.mjs';

await serve({
  execute: (_, id) =>
    notify('complete', { request_id: id, success: true, data: 'Go on.', keep_session: true }),
});
