// A host as one would write it, on the built package: node fleet-to-be-killed.mjs MODE STATE_FOLDER TEMPORARY_FOLDER RUN [calm]
// starts plugins that are hard to end, prints `ready`, and goes on starting and stopping one unless it is to be calm.
// A word on its stdin says how it ends.
import path from 'node:path';
import { createLauncher } from '../../dist/fleet/supervisor/process-launcher.js';

const [, , mode = 'auto', stateFolder = '', temporaryFolder = '', run = '', manner = ''] = process.argv;
const launcher = createLauncher({
  env: process.env,
  stateFolder,
  temporaryFolder,
  containment: /** @type {import('../../dist/fleet/supervisor/containment.js').ContainmentMode} */ (mode),
});

process.stdin.on('data', (word) => void end(String(word).trim()));
// Nothing was launched before, so this sees to what hosts before this one have left.
await launcher.containment();
if (manner !== 'empty') {
  await Promise.all(
    [
      'has-a-child-in-its-own-session.sh',
      'leaves-a-daemon.sh',
      'ignores-sigterm.sh',
      'closes-its-stdio.sh',
    ].map(launch),
  );
}
console.log('ready');
while (manner === '') {
  const running = await launch('has-a-child-in-its-own-session.sh');
  await running.stop({ stdinMs: 5, termMs: 5 });
}

/**
 * Resolves when the plugin has started all that it starts.
 * @param {string} file
 */
async function launch(file) {
  const command = path.join(import.meta.dirname, '../plugins/processes', file);
  /** @type {(value?: unknown) => void} */
  let ready = () => {};
  const isReady = new Promise((resolve) => (ready = resolve));
  const running = await launcher.launch(
    { name: file, start: { kind: 'program', command, args: [run] } },
    { onStderr: ready },
  );
  await Promise.race([isReady, running.exited]);
  return running;
}

/** @param {string} word */
async function end(word) {
  switch (word) {
    case 'throw':
      throw new Error('not caught by anyone');
    case 'reject':
      return Promise.reject(new Error('not caught by anyone'));
    case 'exit':
      return process.exit(3);
    case 'abort':
      return process.abort();
    case 'close':
      await launcher.close();
      return process.exit(0);
    default:
      throw new Error(`No ending "${word}".`);
  }
}
