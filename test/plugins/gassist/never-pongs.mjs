// Does its work, but answers no ping.
import { serve } from './wire.mjs';

await serve({ ping: () => {} });
