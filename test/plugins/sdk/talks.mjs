// A plugin on the SDK that takes part in conversations, works for a while, and prints wherever one can.
import { setTimeout as pause } from 'node:timers/promises';
import { definePlugin, serve } from 'pluglot/sdk';

serve(
  definePlugin({
    name: 'talks',
    version: '1.0.0',
    description: 'Talks.',
    tools: {
      chat: {
        description: 'Opens a session.',
        handler(_, { log, stream, keepSession }) {
          log('info', 'Processing query...');
          stream('Welcome. ');
          keepSession();
          return 'Go on.';
        },
      },
      work: {
        description: 'Takes its time.',
        input: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] },
        handler: async ({ ms }) => {
          await pause(ms);
          return 'worked';
        },
      },
      print: {
        description: 'Prints.',
        handler() {
          console.log('printed to stdout');
          console.error('printed to stderr');
          process.stdout.write('written to stdout\n');
          process.stderr.write('written to stderr\n');
          process.emitWarning('a warning');
          return 'printed';
        },
      },
    },
    onInput(content, { stream, keepSession }) {
      stream('You said ');
      keepSession(content !== 'bye');
      return content;
    },
  }),
);
