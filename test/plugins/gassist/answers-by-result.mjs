// Ends calls by the result of the request alone, and sends no notification.
import { answer, serve } from './wire.mjs';

await serve({
  execute: ({ function: name }, id) =>
    answer(id, { success: true, data: `${name} done`, keep_session: true }),
  input: ({ content }, id) => answer(id, { success: true, data: content, keep_session: false }),
});
