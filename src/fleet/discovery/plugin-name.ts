// Names of plugins, from whatever others call them.
import { isPluginName } from '../../definition/plugin-name.ts';

/** The name that a plugin of another program's configuration, or of a folder, gets here; undefined when nothing of it can be kept. */
export function pluginName(given: string): string | undefined {
  const name = given
    .slice(0, 256)
    .replaceAll(/[^\p{L}\p{N}_.-]+|_{2,}/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '');
  const cut = Array.from(name)
    .slice(0, 64)
    .join('')
    .replace(/[-_]+$/, '');
  return isPluginName(cut) ? cut : undefined;
}
