// Has a timer that runs for ever and a call that never answers; only the loss of its host ends it.
import { openStdio } from 'pluglot/sdk';

setInterval(() => {}, 1000);
const peer = await openStdio({ lingerMs: 100 });
peer.handle('hang', () => new Promise(() => {}));
peer.handle('pid', () => process.pid);
