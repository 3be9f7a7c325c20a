// Works, but says of itself that it is not well: degraded until the first extraction, then in error.
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

let status = 'degraded';
await serve({
  'plugin.health': () => ({ status, message: 'The cache is cold.', memory_mb: 512 }),
  'extractor.extract': () => {
    status = 'error';
    return { success: true, content: 'text' };
  },
});
