// Answers no ping while a function runs, like a program with one thread.
import { answer, notify, serve } from './wire.mjs';

/** @type {unknown} */
let working;

await serve({
  execute: (params, id) => {
    working = id;
    setTimeout(() => {
      working = undefined;
      notify('complete', { request_id: id, success: true, data: 'done' });
    }, Number(params.arguments?.['ms']));
  },
  ping: ({ timestamp }, id) => {
    if (working === undefined) answer(id, { timestamp });
  },
});
