// Ends with a word on stderr as soon as it is asked for handshake.manifest.
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

await serve({
  'handshake.manifest': () => {
    process.stderr.write('out of luck at handshake\n');
    process.exit(7);
  },
});
