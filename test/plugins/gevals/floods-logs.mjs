// Logs twenty thousand times in every operation, and once after it.
import { log, send, serve } from '../../support/dialect/gevals/plain-wire.mjs';

await serve({
  execute: ({ id }) => {
    for (let number = 0; number < 20_000; number++) log('debug', `number ${number}`);
    send({ id, result: { success: true, message: 'done' } });
    log('info', 'after the result');
  },
});
