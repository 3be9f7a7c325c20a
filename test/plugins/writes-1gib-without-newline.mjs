// Answers its first request with a line that does not end for 1 GiB; then works.
import { answer, receive, write } from '../support/channel/plain-wire.mjs';

const piece = Buffer.alloc(1024 * 1024, 'x');
let answered = 0;

await receive(async ({ id }) => {
  if (answered === 0) {
    await write(`{"jsonrpc":"2.0","id":${String(id)},"result":"`);
    for (let i = 0; i < 1024; i++) await write(piece);
    await write('"}\n');
  } else answer(id, 'works');
  answered += 1;
});
