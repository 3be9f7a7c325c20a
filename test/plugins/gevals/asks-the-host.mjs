// Sends requests of its own, which this protocol does not know, and tells how they were answered.
import { send, serve } from '../../support/dialect/gevals/plain-wire.mjs';

let asked = 0;
await serve({
  execute: ({ id }) => {
    asked = id ?? 0;
    send({ id: 'mine', method: 'sample', params: {} });
  },
  // What has no method is the answer of the host.
  undefined: (answer) => send({ id: asked, result: { success: true, message: JSON.stringify(answer) } }),
});
