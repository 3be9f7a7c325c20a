// Tools of the same name in several plugins: each is called with its plugin then, which surprises who knew it bare.
import { finding, type Finding } from './finding.ts';

export function sharedNames(
  all: readonly { readonly plugin: string; readonly tools: readonly string[] }[],
): ReadonlyMap<string, readonly Finding[]> {
  const owners = new Map<string, string[]>();
  for (const { plugin, tools } of all)
    for (const tool of new Set(tools)) owners.set(tool, [...(owners.get(tool) ?? []), plugin]);
  return new Map(
    all.map(({ plugin, tools }) => {
      const shared = [...new Set(tools)].filter((tool) => (owners.get(tool)?.length ?? 0) > 1);
      return [plugin, shared.slice(0, SHOWN).map((tool) => sharing(plugin, tool, owners.get(tool) ?? []))];
    }),
  );
}

/** Of one plugin; whoever shares more shares all. */
const SHOWN = 10;

function sharing(plugin: string, tool: string, owners: readonly string[]): Finding {
  const others = owners.filter((owner) => owner !== plugin).slice(0, 5);
  return finding({
    code: 'tool-name-shared',
    plugin,
    what: `Its tool ${JSON.stringify(tool.slice(0, 100))} is called "${plugin}__${tool.slice(0, 100)}", since ${others.join(', ')} ${others.length === 1 ? 'has' : 'have'} one of that name.`,
    fix: 'Use the long name, or do without one of the plugins.',
  });
}
