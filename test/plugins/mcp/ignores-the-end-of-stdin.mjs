// Stays when its stdin is closed, and ends at SIGTERM only.
import { serve } from './plain-server.mjs';

setInterval(() => {}, 1000);
process.on('SIGTERM', () => process.exit(0));
serve();
