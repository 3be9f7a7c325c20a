// Ends by a signal when it is asked for anything.
import { receive } from '../support/channel/plain-wire.mjs';

await receive(() => process.kill(process.pid, 'SIGKILL'));
