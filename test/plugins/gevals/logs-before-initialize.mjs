// Logs before it was asked anything.
import { log, serve } from '../../support/gevals-wire.mjs';

log('warn', 'no configuration found');
await serve();
