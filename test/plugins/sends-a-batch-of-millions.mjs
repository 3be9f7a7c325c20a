// Sends one message of 15 MiB that is a batch of 8 million numbers; then works.
import { answer, framing, receive, write } from '../support/channel/plain-wire.mjs';

const batch = Buffer.from(`[1${',1'.repeat(7_800_000)}]`);

await receive(async ({ id }) => {
  if (framing === 'length-prefix') {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(batch.length);
    await write(header);
  }
  await write(batch);
  if (framing === 'lines') await write('\n');
  answer(id, 'works');
});
