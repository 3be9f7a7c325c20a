import { act, deeds } from './deeds.mjs';
import { answerLines, send } from './lines.mjs';

const params = { type: 'object' };
const operations = Object.fromEntries(deeds.map((name) => [name, { description: `to ${name}`, params }]));
answerLines({
  initialize: () => ({ name: 'chaos', version: '1.0.0', protocolVersion: '0.0.1', operations }),
  async execute({ operation, args }) {
    send({ method: 'log', params: { level: 'info', message: `doing ${operation}` } });
    return { success: true, message: await act(operation, args) };
  },
  shutdown: () => {
    setImmediate(() => process.exit(0));
    return {};
  },
});
