// A host that may open few files only: node out-of-descriptors.mjs MODE STATE_FOLDER starts plugins until one cannot be started,
// stops one, and starts one more. Prints what happened as JSON.
import { createLauncher } from '../../dist/fleet/supervisor/process-launcher.js';

const [, , mode = 'auto', stateFolder = ''] = process.argv;
const launcher = createLauncher({
  env: process.env,
  stateFolder,
  containment: /** @type {import('../../dist/fleet/supervisor/containment.js').ContainmentMode} */ (mode),
});
const plugin = {
  name: 'the-plugin',
  start: { kind: /** @type {const} */ ('program'), command: 'cat' },
};

/** @type {import('../../dist/fleet/supervisor/spawn.js').Running[]} */
const running = [];
let failure;
while (failure === undefined) {
  try {
    running.push(await launcher.launch(plugin));
  } catch (thrown) {
    const { code, message } = /** @type {import('../../dist/base/error.js').PluglotError} */ (thrown);
    failure = { code, message };
  }
}
for (const one of running.splice(0, 3)) await one.stop();
const again = await launcher.launch(plugin);
const exit = await again.stop();
await launcher.close();
console.log(JSON.stringify({ failure, exit }));
