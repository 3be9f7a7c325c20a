// Logs that it has begun, and answers no execute until a file called `go` is in the workdir; then all in their order.
import fs from 'node:fs';
import path from 'node:path';
import { log, send, serve } from '../../support/dialect/gevals/plain-wire.mjs';

await serve({
  execute: async ({ id, params }) => {
    log('info', 'begun');
    while (!fs.existsSync(path.join(params.context.workdir, 'go')))
      await new Promise((next) => setTimeout(next, 5));
    send({ id, result: { success: true, message: 'at last' } });
  },
});
