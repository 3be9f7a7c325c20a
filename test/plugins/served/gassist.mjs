// The deeds as functions of a G-Assist plugin: streams, logs, a session, and failures by a number.
import { answer, notify, serve } from '../gassist/wire.mjs';
import { beginning, crash, failure, greeting, hurry, tools } from './deeds.mjs';

/** @typedef {import('../gassist/wire.mjs').Params} Params */
/** @type {Record<string, (params: Params, id: unknown) => object | void>} */
const functions = {
  greet: (params, id) => {
    const [first, second] = greeting(String(params.arguments?.['name']));
    notify('stream', { request_id: id, data: first });
    return { data: second };
  },
  fail: (_, id) => notify('error', { request_id: id, code: -1, message: failure.message }),
  hurry: (_, id) => notify('error', { request_id: id, code: -3, message: 'Not so fast.' }),
  wait: () => {},
  crash,
  chat: () => ({ data: 'Go on.', keep_session: true }),
};

/**
 * @param {unknown} id
 * @param {object} words
 */
const complete = (id, words) =>
  notify('complete', { request_id: id, success: true, keep_session: false, ...words });

await serve({
  initialize: (_, id) =>
    answer(id, {
      name: 'served',
      version: '1.2.3',
      description: 'Greets.',
      protocol_version: '2.0',
      commands: [...tools, hurry, { name: 'chat', description: 'Keeps the session.', schema: {} }].map(
        ({ name, description, schema }) => ({ name, description, parameters: schema }),
      ),
    }),
  execute: (params, id) => {
    const name = params.function ?? '';
    const run = functions[name];
    if (run === undefined) {
      notify('error', { request_id: id, code: -32601, message: `Unknown function: ${name}` });
      return;
    }
    notify('log', { level: 'info', message: beginning(name) });
    const words = run(params, id);
    if (words) complete(id, words);
  },
  input: ({ content }, id) => {
    answer(id, { acknowledged: true });
    if (content === 'crash') crash();
    complete(id, { data: `You said ${content}.`, keep_session: content !== 'bye' });
  },
});
