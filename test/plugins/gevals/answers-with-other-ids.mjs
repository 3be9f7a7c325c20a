// Answers under ids that nobody asked for before it answers under the right one, which it writes as a string.
import { send, serve } from '../../support/dialect/gevals/plain-wire.mjs';

await serve({
  execute: ({ id = 0 }) => {
    send({ id: id + 1000, result: { success: false, error: 'of another call' } });
    send({ id: null, result: { success: false, error: 'of nobody' } });
    send({ id: String(id), result: { success: true, message: 'done' } });
  },
});
