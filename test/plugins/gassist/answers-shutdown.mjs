// Answers the shutdown, which is a notification, before it leaves.
import { frame, serve } from './wire.mjs';

await serve({
  shutdown: () =>
    process.stdout.write(frame({ jsonrpc: '2.0', id: null, result: {} }), () => process.exit(0)),
});
