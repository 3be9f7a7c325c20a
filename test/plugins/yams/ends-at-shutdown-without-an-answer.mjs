// Leaves at plugin.shutdown without another word.
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

await serve({ 'plugin.shutdown': () => process.exit(0) });
