// Exits 0 on shutdown without a word, as one in a hundred real extensions does.
import { serve } from '../../support/gevals-wire.mjs';

await serve({ shutdown: () => process.exit(0) });
