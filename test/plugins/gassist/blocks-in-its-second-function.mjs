// The function that looks most harmless is quick; the one after it blocks for longer than the engine waits for a pong.
import { answer, notify, serve } from './wire.mjs';

await serve({
  initialize: (_, id) =>
    answer(id, {
      name: 'fixture',
      version: '1.0.0',
      protocol_version: '2.0',
      commands: ['status', 'check_disk'].map((name) => ({ name, description: 'Looks.' })),
    }),
  execute: (params, id) => {
    if (params.function === 'check_disk') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
    notify('complete', { request_id: id, success: true, data: 'done', keep_session: false });
  },
});
