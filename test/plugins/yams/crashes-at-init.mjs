// Ends with a word on stderr as soon as it is asked for plugin.init.
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

await serve({
  'plugin.init': () => {
    process.stderr.write('out of luck at init\n');
    process.exit(7);
  },
});
