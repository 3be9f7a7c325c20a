// Reads all it is sent, and says nothing.
import { serve } from './wire.mjs';

await serve({ initialize: () => {} });
