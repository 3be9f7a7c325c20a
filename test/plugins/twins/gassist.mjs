// A G-Assist plugin and its twins.
import { broken, notify, Refusal, refuseUnknown, send, serve } from './core.mjs';

/** What `count` keeps: a session is open until the user says "bye". */
let isTalking = false;

/**
 * @param {unknown} id
 * @param {object} words
 */
function complete(id, words) {
  notify('complete', { request_id: id, success: true, keep_session: isTalking, ...words });
}

serve({
  framing: 'length-prefix',
  largestMessage: 10 * 1024 * 1024,
  calls: ['execute'],
  goodbye: 'shutdown',
  methods: {
    initialize: () => ({
      name: 'twin',
      version: '1.0.0',
      protocol_version: '2.0',
      capabilities: ['streaming', 'passthrough'],
      commands: [
        { name: 'repeat', description: 'Repeats a text' },
        { name: 'chat', description: 'Opens a session' },
      ],
    }),
    ping: ({ timestamp }) => ({ timestamp }),
    execute({ function: name, arguments: args }, id) {
      if (typeof name !== 'string') throw new Refusal(-32602, 'function is required');
      if (name === 'repeat') {
        notify('log', { level: 'info', message: 'repeating' });
        notify('stream', { request_id: id, data: 'You said: ' });
        complete(id, { data: JSON.stringify(args) });
      } else if (name === 'chat') {
        isTalking = true;
        complete(id, { data: 'Go on.' });
      } else refuseUnknown(id, new Refusal(-32601, `Unknown function: ${name}`));
    },
    input({ content }, id) {
      if (!isTalking && broken('fault:input-without-session')) return;
      send({ id, result: { acknowledged: true } });
      isTalking &&= content !== 'bye';
      notify('stream', { request_id: id, data: 'You said: ' });
      complete(id, { data: String(content) });
    },
  },
});
