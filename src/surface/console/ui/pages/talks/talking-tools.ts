// The tools that a conversation may begin with, and which of them is meant.
import type { PluginView, ToolView } from '../../api/types.ts';

/** Those of plugins that talk. Which of them keep the session is known once they were called. */
export function talkingTools(
  tools: readonly ToolView[],
  plugins: readonly Pick<PluginView, 'name' | 'talks'>[],
): ToolView[] {
  const talking = new Set(plugins.flatMap(({ name, talks }) => (talks === true ? [name] : [])));
  return tools.filter(({ plugin, enabled }) => enabled && talking.has(plugin));
}

/** The one that somebody chose; where there is only one, that. */
export function chosenTool(tools: readonly ToolView[], chosen: string): ToolView | undefined {
  return tools.find(({ name }) => name === chosen) ?? (tools.length === 1 ? tools[0] : undefined);
}

export function toolLabel({ name, plugin }: Pick<ToolView, 'name' | 'plugin'>): string {
  return `${name} (${plugin})`;
}
