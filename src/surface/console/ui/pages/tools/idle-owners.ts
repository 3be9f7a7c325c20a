// Whose tools cannot be called, since they do not run.
import type { PluginView, ToolView } from '../../api/types.ts';
import { isRunning } from '../fleet/facts.ts';

/** Of a tool that nobody lists: its plugin, where that does not run; where nobody knows whose it is, all that were stopped or failed. */
export function idleOwners(
  { name, plugin }: Pick<ToolView, 'name' | 'plugin'>,
  tools: readonly Pick<ToolView, 'name'>[],
  plugins: readonly PluginView[],
): PluginView[] {
  if (tools.some((tool) => tool.name === name)) return [];
  const idle = plugins.filter((one) => !isRunning(one));
  if (plugin !== '') return idle.filter((one) => one.name === plugin);
  return idle.filter(({ state, untrusted }) => state !== 'disabled' && untrusted === undefined);
}
