// Shows a page to the person at this machine.
import { spawnDetached } from '../../../fleet/supervisor/child-process.ts';
import { findOutside, pathOutside } from '../../../fleet/trust/paths.ts';
import { writableHere } from '../../../runtime/own-places.ts';
import type { CommandContext } from '../context.ts';

/** The browser stays when this process ends. Undefined when it was asked for, else why not. */
export async function openBrowser(url: string, context: CommandContext): Promise<string | undefined> {
  const { env } = context;
  const [name, ...args] = commandFor(process.platform);
  const writable = await writableHere(context);
  const command = findOutside(name, env['PATH'] ?? '', writable);
  if (command === undefined) return `${name} is not in PATH.`;
  // It looks for other programs.
  const PATH = pathOutside(env['PATH'] ?? '', writable);
  const started = spawnDetached({ command, args: [...args, url], env: { ...env, PATH } });
  return started instanceof Error ? `${name}: ${started.message}` : undefined;
}

function commandFor(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
