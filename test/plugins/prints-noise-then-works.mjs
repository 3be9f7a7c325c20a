// Prints a banner of 1 MiB before it serves.
import { answer, receive, write } from '../support/channel/plain-wire.mjs';

await write('Loading the model: 100% |##########| 42/42 [00:00<00:00]\n'.repeat(20_000));
await receive(({ id }) => answer(id, 'works'));
