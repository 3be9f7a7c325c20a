// Writes byte by byte, so that every message comes in many pieces.
import { setImmediate as turn } from 'node:timers/promises';
import { frame, serve } from './wire.mjs';

let last = Promise.resolve();

/** @param {object} message */
function drip(message) {
  last = last.then(async () => {
    for (const byte of frame({ jsonrpc: '2.0', ...message })) {
      process.stdout.write(Buffer.of(byte));
      await turn();
    }
  });
}

await serve({
  initialize: (_, id) => drip({ id, result: { name: 'drip' } }),
  execute: (_, id) => {
    drip({ method: 'stream', params: { request_id: id, data: 'drop ' } });
    drip({ method: 'complete', params: { request_id: id, success: true, data: 'é😀' } });
  },
});
