// Sends the first half of its answer and dies.
import { frame, receive, write } from '../support/channel/plain-wire.mjs';

await receive(async ({ id }) => {
  const answer = frame({ jsonrpc: '2.0', id, result: 'x'.repeat(1000) });
  await write(answer.subarray(0, answer.length / 2));
  process.exit(3);
});
