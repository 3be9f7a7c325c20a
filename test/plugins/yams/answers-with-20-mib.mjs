// Answers an extraction with more than a host takes in one message.
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

await serve({
  'extractor.extract': () => ({ success: true, content: 'x'.repeat(20 * 1024 * 1024) }),
});
