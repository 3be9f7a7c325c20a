// Logs a lot to stderr, in words that look like failures, and works.
import { serve } from './plain-server.mjs';

for (let line = 0; line < 1000; line += 1) console.error(`ERROR ${line}: everything is fine`);
serve();
