// Hosts and clients in test/raw-hosts: written in Python from the specifications, they know nothing of our code.
import path from 'node:path';
import { execute, root } from '../support/project.ts';

/** What such a host saw of a plugin on our SDK, one of test/plugins/sdk. */
export async function seenBy(
  host: string,
  script: unknown,
  args: readonly string[] = [],
  plugin = 'takes-notes.mjs',
): Promise<unknown> {
  const program = path.join(root, 'test/raw-hosts', host);
  const command = [process.execPath, path.join(root, 'test/plugins/sdk', plugin), ...args];
  const { exitCode, stdout, stderr } = await execute('python3', [
    program,
    JSON.stringify(script),
    ...command,
  ]);
  if (exitCode !== 0) throw new Error(`${host} ended with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout);
}
