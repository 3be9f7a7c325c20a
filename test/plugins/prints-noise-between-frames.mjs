// Prints text before and after every answer.
import { answer, receive, write } from '../support/channel/plain-wire.mjs';

await receive(async ({ id }) => {
  await write('[INFO] handling a request\n');
  answer(id, 'works');
  await write('Done! ☺ {"not": "json-rpc"}\n');
});
