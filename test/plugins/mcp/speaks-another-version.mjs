// Answers with a version that nobody has asked for.
import { answer, serve } from './plain-server.mjs';

serve({
  initialize: ({ id }) =>
    answer(id, {
      protocolVersion: '1999-12-31',
      capabilities: {},
      serverInfo: { name: 'old', version: '0' },
    }),
});
