// Asks for what the host did not declare before it answers, and tells what it was told.
import { answer, send, serve, text } from './plain-server.mjs';

/** @type {unknown[]} */
const told = [];
/** @type {import('./plain-server.mjs').Wire | undefined} */
let call;
serve({
  'tools/call'(message) {
    call = message;
    for (const method of ['ping', 'roots/list', 'sampling/createMessage', 'elicitation/create']) {
      send({ jsonrpc: '2.0', id: method, method, params: {} });
    }
  },
  answer({ id, result, error }) {
    told.push({ id, result, code: error?.code });
    if (told.length === 4 && call !== undefined)
      answer(call.id, { ...text('asked'), structuredContent: { told } });
  },
});
