// Does not leave: not when asked to, not at the end of stdin, not by SIGTERM.
import { serve } from './wire.mjs';

process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
await serve({ shutdown: () => {} });
