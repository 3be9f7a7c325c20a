// A host with one confined program: confined-host.ts STATE HOME WORKSPACE CONTAINMENT SCRIPT
// Prints what the program prints, and ends with it.
import type { ContainmentMode } from '../../src/fleet/supervisor/containment.ts';
import { createLauncher } from '../../src/fleet/supervisor/process-launcher.ts';
import { findSandbox, isSandbox } from '../../src/gate/sandbox/find-sandbox.ts';

const [, , stateFolder = '', home = '', workspace = '', mode = '', script = ''] = process.argv;
const { env } = process;
// The test names one of them.
const launcher = createLauncher({ env, stateFolder, containment: mode as ContainmentMode | 'auto' });
const own = { kept: [], hidden: [stateFolder], hiddenFiles: [] };
const sandbox = await findSandbox({ env, home, own: () => own });
if (!isSandbox(sandbox)) throw new Error(sandbox.missing);
const spawn = await launcher.programs();
const program = {
  command: '/bin/sh',
  args: ['-c', script],
  cwd: workspace,
  env: { PATH: env['PATH'], HOME: home },
};
const running = spawn(sandbox.confine(program, { workspace, access: 'writable', network: false }));
running.pipe.open({ data: (chunk) => process.stdout.write(Buffer.from(chunk)), end: () => {} });
await running.gone;
await launcher.close();
