// Never answers handshake.manifest, and goes on answering all else.
import { serve, silence } from '../../support/dialect/yams/plain-yams.mjs';

await serve({ 'handshake.manifest': () => silence });
