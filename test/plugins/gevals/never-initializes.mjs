// Reads initialize, says so on stderr, and never answers.
import { serve } from '../../support/gevals-wire.mjs';

await serve({ initialize: () => console.error('thinking') });
