// Answers the two methods that a host can do without with -32601.
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

await serve({ 'plugin.health': undefined, 'extractor.supports': undefined });
