// Writes half of its answer and is gone.
import { serve } from '../../support/dialect/gevals/plain-wire.mjs';

await serve({
  execute: ({ id }) => {
    console.error('signal: killed');
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"succ`, () => process.exit(137));
  },
});
