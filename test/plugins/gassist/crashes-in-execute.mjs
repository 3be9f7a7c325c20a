// Streams half of its answer, then ends with code 7.
import { frame, serve } from './wire.mjs';

await serve({
  execute: (_, id) => {
    const half = { jsonrpc: '2.0', method: 'stream', params: { request_id: id, data: 'half' } };
    process.stdout.write(frame(half), () => process.stderr.write('out of luck\n', () => process.exit(7)));
  },
});
