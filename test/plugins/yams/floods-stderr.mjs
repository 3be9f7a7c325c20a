// Writes 4 MiB to stderr before it answers an extraction; it gets there only when somebody reads that.
import { once } from 'node:events';
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

await serve({
  'extractor.extract': async () => {
    for (let written = 0; written < 64; written++) {
      if (!process.stderr.write('E'.repeat(65_535) + '\n')) await once(process.stderr, 'drain');
    }
    return { success: true, content: 'text' };
  },
});
