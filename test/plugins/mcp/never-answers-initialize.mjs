import { serve } from './plain-server.mjs';

serve({ initialize: () => {} });
