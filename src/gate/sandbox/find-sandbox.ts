// Bubblewrap on Linux, sandbox-exec on macOS.
import { findBubblewrap } from './bubblewrap.ts';
import { findSandboxExec } from './sandbox-exec.ts';
import type { Sandbox, SandboxHost, SandboxMissing } from './sandbox.ts';

/** Looks once what works here, by running a program in it. */
export async function findSandbox(host: SandboxHost): Promise<Sandbox | SandboxMissing> {
  const platform = host.platform ?? process.platform;
  if (platform === 'linux') return findBubblewrap(host);
  if (platform === 'darwin') return findSandboxExec(host);
  return {
    missing: `there is no sandbox for ${platform}`,
    fix: 'Run pluglot on Linux with bubblewrap',
  };
}

export function isSandbox(found: Sandbox | SandboxMissing): found is Sandbox {
  return 'kind' in found;
}
