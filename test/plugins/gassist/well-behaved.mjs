// All that the specification asks for, and nothing else. Says that a function is unknown by a notification, as the Node SDK does.
import { answer, notify, serve } from './wire.mjs';

/** @type {Record<string, (params: import('./wire.mjs').Params, id: unknown) => object | undefined>} */
const functions = {
  count: (params, id) => {
    const to = Number(params.arguments?.['to']);
    for (let number = 1; number <= to; number += 1) notify('stream', { request_id: id, data: `${number} ` });
    return { data: 'done' };
  },
  echo: (params) => ({ data: params.arguments?.['value'] }),
  surroundings: ({ context, system_info }) => ({ data: { context, system_info } }),
  chat: () => ({ data: 'Go on.', keep_session: true }),
  rate_limited: (_, id) => {
    notify('error', { request_id: id, code: -3, message: 'too many requests' });
    return undefined;
  },
  no_such_city: () => ({ success: false, data: 'no such city' }),
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
      name: 'well-behaved',
      version: '1.2.3',
      capabilities: ['streaming'],
      commands: [
        ...Object.keys(functions).map((name) => ({ name, description: `The ${name}` })),
        { name: 'on_input' },
      ],
    }),
  execute: (params, id) => {
    const name = params.function ?? '';
    const run = functions[name];
    if (run === undefined) {
      notify('error', { request_id: id, code: -32601, message: `Unknown function: ${name}` });
      return;
    }
    notify('log', { level: 'info', message: `${name} begins` });
    const words = run(params, id);
    if (words !== undefined) complete(id, words);
  },
  input: ({ content }, id) => {
    answer(id, { acknowledged: true });
    notify('stream', { request_id: id, data: 'You said ' });
    complete(id, { data: content, keep_session: content !== 'bye' });
  },
});
