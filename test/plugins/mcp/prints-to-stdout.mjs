// Prints for people where only messages belong, at each stage, also without an end of line.
import { answer, serve, text } from './plain-server.mjs';

console.log('Server listening on stdio');
serve({
  'notifications/initialized': () => console.log('client is ready'),
  'tools/call'({ id }) {
    console.log('calling…');
    process.stdout.write('{"almost": "a message"}\n\n\r\n');
    answer(id, text('done'));
    process.stdout.write('no end of line');
  },
});
