// Asks and asks and never reads an answer.
import { frame, write } from '../support/channel/plain-wire.mjs';

const thousand = Buffer.concat(
  Array.from({ length: 1000 }, (_, id) => frame({ jsonrpc: '2.0', id, method: 'read', params: {} })),
);
for (;;) await write(thousand);
