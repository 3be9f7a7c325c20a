// Answers every execute twice, the second time with a failure.
import { send, serve } from '../../support/dialect/gevals/plain-wire.mjs';

await serve({
  execute: ({ id }) => {
    send({ id, result: { success: true, message: 'first' } });
    send({ id, result: { success: false, error: 'second' } });
  },
});
