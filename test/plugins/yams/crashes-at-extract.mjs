// Ends with a word on stderr as soon as it is asked for extractor.extract.
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

await serve({
  'extractor.extract': () => {
    process.stderr.write('out of luck at extract\n');
    process.exit(7);
  },
});
