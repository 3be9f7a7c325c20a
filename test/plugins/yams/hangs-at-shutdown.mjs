// Never answers plugin.shutdown, and goes on answering all else.
import { serve, silence } from '../../support/dialect/yams/plain-yams.mjs';

await serve({ 'plugin.shutdown': () => silence });
