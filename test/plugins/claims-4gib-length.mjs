// Announces an answer of 4 GiB and sends 256 MiB of it; then works.
import { answer, receive, write } from '../support/channel/plain-wire.mjs';

const piece = Buffer.alloc(1024 * 1024, 'x');
let answered = 0;

await receive(async ({ id }) => {
  if (answered === 0) {
    await write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    await write(`{"jsonrpc":"2.0","id":${String(id)},"result":"`);
    for (let i = 0; i < 256; i++) await write(piece);
  } else answer(id, 'works');
  answered += 1;
});
