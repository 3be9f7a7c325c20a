// Answers initialize with an error, as an extension whose own start fails.
import { send, serve } from '../../support/dialect/gevals/plain-wire.mjs';

await serve({
  initialize: ({ id }) =>
    send({ id, result: null, error: { code: -32603, message: 'no cluster at localhost' } }),
});
