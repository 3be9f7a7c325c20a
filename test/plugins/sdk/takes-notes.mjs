// A plugin on the SDK with a bit of everything, for hosts of other makers.
import { definePlugin, fail, result, serve } from 'pluglot/sdk';

/** @type {string[]} */
const notes = [];
let goOn = () => {};

serve(
  definePlugin({
    name: 'takes-notes',
    version: '1.2.3',
    description: 'Takes notes',
    instructions: 'One note is one thought.',
    config: { type: 'object', properties: { author: { type: 'string' } } },
    setup({ config }) {
      if (config['author'] === 'refused') fail('This author may not write.');
    },
    tools: {
      add: {
        description: 'Adds a note',
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        hints: { readOnly: false },
        handler({ text }, { config, log }) {
          notes.push(text);
          log('info', 'noted', { length: text.length });
          return result({
            text: `Noted by ${config['author'] ?? 'nobody'}`,
            data: { count: notes.length, last: text },
          });
        },
      },
      count: {
        description: 'Counts the notes',
        output: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
        hints: { readOnly: true },
        handler: () => ({ count: notes.length }),
      },
      recite: {
        description: 'Says all notes, one after the other',
        async *handler(_, { progress }) {
          for (const [index, note] of notes.entries()) {
            progress(index + 1, notes.length);
            yield `${note}\n`;
          }
        },
      },
      lose: {
        description: 'Cannot do it',
        handler: () =>
          fail({ code: 'UNAVAILABLE', message: 'The notes are lost.', suggestions: ['Look again'] }),
      },
      break: {
        description: 'Throws',
        handler() {
          throw new Error('The pen broke.');
        },
      },
      fill: {
        description: 'Says more than a line holds',
        handler: (_, { log }) => {
          log('info', 'é'.repeat(100_000));
          return result({ text: 'x'.repeat(300_000), data: { page: '😀'.repeat(50_000), number: 1 } });
        },
      },
      around: {
        description: 'Tells what surrounds it',
        handler: (_, { workdir, phase, env, agent, dialect }) => ({
          workdir: workdir ?? null,
          phase: phase ?? null,
          env: env ?? null,
          agent: agent ?? null,
          dialect,
        }),
      },
      pause: {
        description: 'Waits until it may go on',
        handler: (_, { progress, stream }) =>
          new Promise((resolve) => {
            goOn = () => resolve('Over.');
            progress(1, 2, 'Half');
            stream('Pause. ');
          }),
      },
      goOn: { description: 'Ends the pause', handler: () => goOn() },
      wait: {
        description: 'Waits until it is given up',
        handler: (_, { signal, log }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve('given up'));
            log('info', 'waiting');
          }),
      },
    },
    commands: {
      review: {
        description: 'Asks for a review',
        parameters: [{ name: 'topic', description: 'Of what', required: true }],
        shareWithModel: true,
        complete: (_, typed) => ['style', 'sense', 'spelling'].filter((word) => word.startsWith(typed)),
        handler: ({ topic }) => `Please review my notes for ${textOf(topic)}.`,
      },
    },
  }),
);

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
