// Answers its first request with a frame of 100 MiB, more than hosts take; then works.
import { answer, receive, write } from '../support/channel/plain-wire.mjs';

const piece = Buffer.alloc(1024 * 1024, 'x');
let answered = 0;

await receive(async ({ id }) => {
  if (answered === 0) {
    const start = `{"jsonrpc":"2.0","id":${String(id)},"result":"`;
    const header = Buffer.alloc(4);
    header.writeUInt32BE(start.length + 100 * piece.length + 2);
    await write(header);
    await write(start);
    for (let i = 0; i < 100; i++) await write(piece);
    await write('"}');
  } else answer(id, 'works');
  answered += 1;
});
