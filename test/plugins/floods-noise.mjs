// Prints 256 MiB of text that is no message; then serves.
import { answer, receive, write } from '../support/channel/plain-wire.mjs';

const text = Buffer.from('All work and no play makes Jack a dull boy.\n'.repeat(24 * 1024));
for (let i = 0; i < 256; i++) await write(text);
await receive(({ id }) => answer(id, 'works'));
