// Acknowledges an input, then ends by a signal.
import { frame, serve } from './wire.mjs';

await serve({
  input: (_, id) => {
    const ack = { jsonrpc: '2.0', id, result: { acknowledged: true } };
    process.stdout.write(frame(ack), () => process.kill(process.pid, 'SIGKILL'));
  },
});
