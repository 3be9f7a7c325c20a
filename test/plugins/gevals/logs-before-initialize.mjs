// Logs before it was asked anything.
import { log, serve } from '../../support/dialect/gevals/plain-wire.mjs';

log('warn', 'no configuration found');
await serve();
