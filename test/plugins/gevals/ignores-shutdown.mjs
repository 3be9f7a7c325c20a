// Takes no notice of shutdown, of the end of stdin, or of SIGTERM.
import { serve } from '../../support/dialect/gevals/plain-wire.mjs';

setInterval(() => {}, 1000);
process.on('SIGTERM', () => {});
await serve({ shutdown: () => {} });
