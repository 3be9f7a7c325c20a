// A plugin on the SDK whose tools each do one thing that serving has to bear.
import { spawnSync } from 'node:child_process';
import fs, { writeSync } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';
import { definePlugin, serve } from 'pluglot/sdk';

const { log } = console;

const plugin = definePlugin({
  name: 'many-ways',
  version: '1.0.0',
  description: 'Does what it is asked, in many ways',
  config: { type: 'object', properties: { greeting: { type: 'string' } } },
  tools: {
    greet: {
      description: 'Greets',
      input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      handler: ({ name }, { config }) => `${config['greeting'] ?? 'Hello'}, ${name}!`,
    },
    print: {
      description: 'Prints in every way there is',
      handler() {
        console.log('from console.log');
        console.info('from console.info %d', 1);
        console.debug('from console.debug');
        console.warn('from console.warn');
        console.error('from console.error');
        console.table([{ from: 'console.table' }]);
        log('from a console.log that was kept');
        process.stdout.write('from process.stdout\n');
        writeSync(1, 'from fs.writeSync\n');
        return new Promise((resolve) => fs.write(1, 'from fs.write\n', () => resolve('printed')));
      },
    },
    printHalf: {
      description: 'Prints without an end of line',
      handler() {
        process.stdout.write('half a line');
        return 'printed';
      },
    },
    printHalfInThread: {
      description: 'Prints without an end of line in its thread',
      isolate: true,
      handler() {
        process.stdout.write('half a line');
        return 'printed';
      },
    },
    printPastNode: {
      description: 'Prints to file descriptor 1 by a child process',
      handler() {
        spawnSync(process.execPath, ['-e', 'console.log("from a child")'], { stdio: 'inherit' });
        return 'printed';
      },
    },
    printToStderr: {
      description: 'Prints to stderr',
      handler: () =>
        new Promise((resolve) => process.stderr.write('from stderr\n', () => resolve('printed'))),
    },
    flood: {
      description: 'Prints more than anybody reads',
      handler() {
        for (let line = 0; line < 200_000; line++) console.log(`line ${line}`);
        return 'flooded';
      },
    },
    hang: {
      description: 'Never ends',
      handler() {
        console.log('hanging');
        return new Promise(() => {});
      },
    },
    wait: {
      description: 'Ends after a while',
      handler: ({ ms }) => new Promise((resolve) => setTimeout(resolve, Number(ms), 'waited')),
    },
    throwLater: {
      description: 'Throws where nobody catches it',
      handler: () => new Promise(() => setTimeout(() => nobodyCatches(), 1)),
    },
    rejectLater: {
      description: 'Rejects where nobody hears it',
      handler: () => new Promise(() => void Promise.reject(new Error('nobody hears this'))),
    },
    where: {
      description: 'Tells in which thread it runs',
      isolate: true,
      handler: (_, { config }) => ({ isMainThread, threadId, greeting: config['greeting'] }),
    },
    block: {
      description: 'Blocks its thread for good',
      isolate: true,
      handler() {
        console.log('blocking');
        for (;;);
      },
    },
    say: {
      description: 'Streams, logs and prints from its thread',
      isolate: true,
      async *handler(_, context) {
        context.log('info', 'a log');
        console.warn('a print');
        context.progress(1, 2);
        yield 'one ';
        yield 'two ';
        return 'three';
      },
    },
    exit: { description: 'Ends its thread', isolate: true, handler: () => process.exit(7) },
    eat: {
      description: 'Eats all memory of its thread',
      isolate: true,
      handler() {
        const eaten = [];
        for (;;) eaten.push(new Array(100_000).fill(eaten.length));
      },
    },
    throwInThread: {
      description: 'Throws where nobody catches it, in its thread',
      isolate: true,
      handler: () => new Promise(() => setTimeout(() => nobodyCatches(), 1)),
    },
  },
  teardown() {
    process.stdout.write(process.env['LAST_WORDS'] ?? '');
  },
});

function nobodyCatches() {
  throw new Error('nobody catches this');
}

// Keeps the program alive where nothing ends it.
setInterval(() => {}, 1000);
serve(plugin, { lingerMs: Number(process.env['LINGER_MS'] ?? 30_000) });
