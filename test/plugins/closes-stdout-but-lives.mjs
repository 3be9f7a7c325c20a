// Closes its stdout when it is asked for anything, and stays.
import fs from 'node:fs';
import { receive } from '../support/channel/plain-wire.mjs';

setInterval(() => {}, 1000);
await receive(() => fs.closeSync(1));
