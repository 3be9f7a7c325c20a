// Sends half a million notifications before its first answer, as fast as it can.
import { answer, frame, receive, write } from '../support/channel/plain-wire.mjs';

const thousand = Buffer.concat(
  Array.from({ length: 1000 }, (_, i) =>
    frame({ jsonrpc: '2.0', method: 'log', params: { i, text: 'x'.repeat(50) } }),
  ),
);
let flooded = false;

await receive(async ({ id }) => {
  for (let i = 0; i < 500 && !flooded; i++) await write(thousand);
  flooded = true;
  answer(id, 'works');
});
