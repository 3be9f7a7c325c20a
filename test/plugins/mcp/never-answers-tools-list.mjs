import { serve } from './plain-server.mjs';

serve({ 'tools/list': () => {} });
