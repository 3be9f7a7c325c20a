// Never answers plugin.shutdown, and goes on answering all else.
import { serve, silence } from '../../support/plain-yams.mjs';

await serve({ 'plugin.shutdown': () => silence });
