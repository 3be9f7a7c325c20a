// Answers with more than a host takes, then with what it does.
import { send, serve } from '../../support/dialect/gevals/plain-wire.mjs';

await serve({
  execute: ({ id, params }) =>
    send({ id, result: { success: true, message: 'x'.repeat(params.args['large'] ? 17 * 1024 * 1024 : 1) } }),
});
