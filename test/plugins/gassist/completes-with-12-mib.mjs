// Ends its first call with more than a message may have, the others with little.
import { notify, serve } from './wire.mjs';

let calls = 0;

await serve({
  execute: (_, id) => {
    calls += 1;
    const data = calls === 1 ? 'x'.repeat(12 * 1024 * 1024) : 'little';
    notify('complete', { request_id: id, success: true, data });
  },
});
