// Gives outputs that are no strings, and does not say whether it succeeded when asked not to.
import { send, serve } from '../../support/dialect/gevals/plain-wire.mjs';

await serve({
  execute: ({ id, params }) =>
    send({
      id,
      result: params.args['silent']
        ? { outputs: { a: 'b' } }
        : { success: true, outputs: { text: 'b', number: 1.5, object: { a: [true] }, nothing: null } },
    }),
});
