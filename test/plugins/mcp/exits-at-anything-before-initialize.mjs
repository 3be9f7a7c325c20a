// Some SDKs end when the first message is another than initialize.
import { answer, serve } from './plain-server.mjs';

let isInitialized = false;
serve({
  initialize({ id, params }) {
    isInitialized = true;
    const { protocolVersion } = params;
    answer(id, { protocolVersion, capabilities: {}, serverInfo: { name: 'strict', version: '1' } });
  },
  'server/discover': () => process.exit(isInitialized ? 0 : 1),
  ping({ id }) {
    if (!isInitialized) process.exit(1);
    answer(id, {});
  },
});
