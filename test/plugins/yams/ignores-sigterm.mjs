// Neither plugin.shutdown, nor the end of its input, nor SIGTERM ends it.
import { serve, silence } from '../../support/dialect/yams/plain-yams.mjs';

process.on('SIGTERM', () => {});
setInterval(() => {}, 60_000);
await serve({ 'plugin.shutdown': () => silence });
