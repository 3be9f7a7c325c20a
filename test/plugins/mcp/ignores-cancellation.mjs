// Answers a call only when it hears that nobody wants it any more.
import { answer, serve, text } from './plain-server.mjs';

serve({
  'tools/call': () => {},
  'notifications/cancelled': ({ params }) => answer(params.requestId, text('too late')),
});
