// Exits 0 on shutdown without a word, as one in a hundred real extensions does.
import { serve } from '../../support/dialect/gevals/plain-wire.mjs';

await serve({ shutdown: () => process.exit(0) });
