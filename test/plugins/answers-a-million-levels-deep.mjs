// Its answer is an array in an array in an array …
import { framing, receive, write } from '../support/channel/plain-wire.mjs';

const DEPTH = 1_000_000;

await receive(async ({ id }) => {
  const body = Buffer.from(
    `{"jsonrpc":"2.0","id":${String(id)},"result":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`,
  );
  if (framing === 'length-prefix') {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(body.length);
    await write(header);
  }
  await write(body);
  if (framing === 'lines') await write('\n');
});
