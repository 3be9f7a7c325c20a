// The order of tools: those of plugins that somebody brought, then those that come with the host.
import type { PluginView, ToolView } from '../../api/types.ts';

export function ownFirst(
  tools: readonly ToolView[],
  plugins: readonly Pick<PluginView, 'name' | 'origin'>[],
): ToolView[] {
  const builtIn = new Set(plugins.flatMap(({ name, origin }) => (origin === 'built-in' ? [name] : [])));
  return tools.toSorted((one, other) => Number(builtIn.has(one.plugin)) - Number(builtIn.has(other.plugin)));
}
