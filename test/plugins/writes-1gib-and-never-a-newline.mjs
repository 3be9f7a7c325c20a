// Writes 1 GiB of a line and exits without ending it.
import { receive, write } from '../support/channel/plain-wire.mjs';

const piece = Buffer.alloc(1024 * 1024, 'x');

await receive(async () => {
  for (let i = 0; i < 1024; i++) await write(piece);
  process.exit(4);
});
