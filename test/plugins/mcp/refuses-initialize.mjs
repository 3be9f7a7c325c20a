import { refuse, serve } from './plain-server.mjs';

serve({ initialize: ({ id }) => refuse(id, -32603, 'API_KEY is not set') });
