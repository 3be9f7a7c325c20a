// Tells what it was handed, in its environment and as arguments, wherever a plugin can say something.
import { answer, notify, serve } from './wire.mjs';

const handed = [process.env['WORD'], process.env['PAGE'], ...process.argv.slice(2)].filter(Boolean);
const words = handed.join(' and ');
const [first = ''] = handed;
const page = process.env['PAGE'] ?? '';
const encoded = [
  Buffer.from(first).toString('base64'),
  Buffer.from(`me:${first}`).toString('base64'),
  encodeURIComponent(page),
  encodeURIComponent(encodeURIComponent(page)),
  encodeURI(page),
  page.replaceAll('"', '&quot;'),
  // As Python prints it.
  page.replaceAll('\\', '\\\\'),
  ...(process.env['KEY'] ?? '').split('\n'),
].join(' ');

/** @param {string} where */
const print = (where) =>
  process.stderr.write(
    `${where}: ${words}, or ${encoded}, password=hunter2-of-${where}\n${process.env['KEY']}\n`,
  );

print('start');
process.on('exit', () => print('exit'));
if (process.argv.includes('--dies')) process.exit(3);

/** @type {Record<string, (id: unknown) => void>} */
const functions = {
  tell: (id) => {
    process.stdout.write(`noise: ${words}\n`);
    notify('log', { level: 'info', message: `log: ${words} ${encoded}` });
    notify('stream', { request_id: id, data: `stream: ${words} ` });
    notify('complete', { request_id: id, success: true, data: `result: ${words}`, keep_session: false });
  },
  fail: (id) =>
    notify('error', { request_id: id, code: -1, message: `error: ${words}`, data: { words: handed } }),
  refuse: (id) =>
    notify('complete', { request_id: id, success: false, data: `refusal: ${words}`, keep_session: false }),
  die: () => {
    print('die');
    process.exit(7);
  },
};

await serve({
  initialize: (_, id) =>
    answer(id, {
      name: 'tells-its-secrets',
      version: `1.0.0 ${first}`,
      description: `A plugin of ${words}`,
      protocol_version: '2.0',
      commands: Object.keys(functions).map((name) => ({ name, description: `To ${name} ${words}` })),
    }),
  execute: (params, id) => functions[params.function ?? '']?.(id),
});
