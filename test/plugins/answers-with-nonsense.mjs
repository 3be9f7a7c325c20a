// Its answers have the right id and are no responses.
import { receive, send } from '../support/channel/plain-wire.mjs';

await receive(({ id }) => send({ jsonrpc: '2.0', id, result: 1, error: 'also this' }));
