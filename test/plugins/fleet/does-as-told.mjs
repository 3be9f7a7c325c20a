// A YAMS plugin that misbehaves when it is asked to: exits, freezes, stops itself, takes its time.
import process from 'node:process';
import { serve, silence } from '../../support/dialect/yams/plain-yams.mjs';

/**
 * @typedef {object} Told
 * @property {number} [code]
 * @property {number} [ms]
 */

const tools = [
  { name: 'echo', description: 'Gives back what it gets.' },
  {
    name: 'exit',
    description: 'Exits with a code.',
    input_schema: { type: 'object', properties: { code: { type: 'integer', default: 3 } } },
  },
  { name: 'stop', description: 'Stops its own process.' },
  { name: 'never', description: 'Never answers.' },
  { name: 'spin', description: 'Does nothing else for so many milliseconds.' },
  { name: 'spin_later', description: 'Answers, then does nothing else for so many milliseconds.' },
  { name: 'pid', description: 'Who it is.' },
];

/** @param {number} ms */
function spin(ms) {
  for (const end = Date.now() + ms; Date.now() < end;);
}

await serve({
  'handshake.manifest': () => ({
    name: 'does_as_told',
    version: '1.0.0',
    interfaces: [],
    capabilities: { tools },
  }),
  echo: (params) => params,
  pid: () => process.pid,
  never: () => silence,
  exit: (params) => {
    process.stderr.write('I was told to go.\n');
    process.exit(/** @type {Told} */ (/** @type {unknown} */ (params)).code);
  },
  stop: () => {
    process.kill(process.pid, 'SIGSTOP');
    return null;
  },
  spin: (params) => {
    spin(/** @type {Told} */ (/** @type {unknown} */ (params)).ms ?? 0);
    return 'done';
  },
  spin_later: (params) => {
    setTimeout(spin, 20, /** @type {Told} */ (/** @type {unknown} */ (params)).ms ?? 0);
    return 'soon';
  },
});
