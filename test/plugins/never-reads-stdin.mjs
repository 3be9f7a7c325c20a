// Says that it is there and never reads a byte.
import { send } from '../support/channel/plain-wire.mjs';

send({ jsonrpc: '2.0', method: 'ready' });
setInterval(() => {}, 1000);
