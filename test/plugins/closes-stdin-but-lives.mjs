// Closes its stdin at once, says so, and stays.
import fs from 'node:fs';
import { send } from '../support/channel/plain-wire.mjs';

fs.closeSync(0);
send({ jsonrpc: '2.0', method: 'ready' });
setInterval(() => {}, 1000);
