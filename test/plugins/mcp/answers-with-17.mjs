// No result is an object.
import { answer, serve } from './plain-server.mjs';

serve({ 'tools/call': ({ id }) => answer(id, 17) });
