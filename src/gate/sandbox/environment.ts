// The variables of a confined program.
import type { Program } from '../../fleet/supervisor/spawn.ts';
import { isInside } from '../../fleet/trust/paths.ts';
import { realPath } from './places.ts';
import type { Shown } from './shown.ts';

/** They lead to services of the host, none of which can be reached. */
const OF_THE_HOST = new Set([
  'DBUS_SESSION_BUS_ADDRESS',
  'DISPLAY',
  'GPG_AGENT_INFO',
  'SSH_AGENT_PID',
  'SSH_AUTH_SOCK',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
]);

/** What a shell or the loader of programs would heed outside of the sandbox already. */
const HEEDED_OUTSIDE = /^(LD_.*|BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|IFS)$/s;

/**
 * @returns `env`: for all that is started. `given`: set inside only. Values are not put on the command line of bubblewrap without need,
 *   since all users of the machine see it.
 */
export function environmentInside(
  variables: Program['env'],
  shown: readonly Shown[],
): { readonly env: Record<string, string>; readonly given: Record<string, string> } {
  const env: Record<string, string> = {};
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined || OF_THE_HOST.has(name)) continue;
    (HEEDED_OUTSIDE.test(name) ? given : env)[name] = value;
  }
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) {
    const folder = env[name];
    if (folder !== undefined && !isWritable(folder, shown)) env[name] = '/tmp';
  }
  return { env, given };
}

function isWritable(folder: string, shown: readonly Shown[]): boolean {
  const real = realPath(folder);
  return shown.some(({ path: each, as }) => as === 'writable' && isInside(each, real));
}
