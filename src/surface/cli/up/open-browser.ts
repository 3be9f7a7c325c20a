// Shows a page to the person at this machine.
import type { Environment } from '../../../fleet/discovery/home-folders.ts';
import { spawnDetached } from '../../../fleet/supervisor/spawn.ts';

/** The browser stays when this process ends. Undefined when it was asked for, else why not. */
export function openBrowser(
  url: string,
  { env, platform }: { readonly env: Environment; readonly platform: NodeJS.Platform },
): string | undefined {
  const [command, ...args] = commandFor(platform);
  const started = spawnDetached({ command, args: [...args, url], env });
  return started instanceof Error ? `${command}: ${started.message}` : undefined;
}

function commandFor(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
