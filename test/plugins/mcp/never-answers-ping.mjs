import { serve } from './plain-server.mjs';

serve({ ping: () => {} });
