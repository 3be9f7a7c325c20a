// Reads initialize, says so on stderr, and never answers.
import { serve } from '../../support/dialect/gevals/plain-wire.mjs';

await serve({ initialize: () => console.error('thinking') });
