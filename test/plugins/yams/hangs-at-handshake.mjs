// Never answers handshake.manifest, and goes on answering all else.
import { serve, silence } from '../../support/plain-yams.mjs';

await serve({ 'handshake.manifest': () => silence });
