// Reads all its requests to the end of stdin before it answers the first.
import { answer, receive } from '../support/channel/plain-wire.mjs';

/** @type {unknown[]} */
const ids = [];
await receive(({ id }) => ids.push(id));
for (const id of ids) answer(id, 'works');
