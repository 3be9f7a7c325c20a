// The tools of bridged plugins: a single plugin keeps its names, those of several are called `plugin__tool`.
import { didYouMeanTool, fullName, readingsOf } from '../../definition/plugin-spec.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Plugin } from '../plugin/plugin.ts';

/**
 * Without tools that stand for a facet, unless `facets` is set: each dialect has its own messages for it. Conversations are never offered as
 * a tool, since calls of others would interrupt them.
 */
export function exposedTools(plugins: readonly Plugin[], { facets = false } = {}): readonly Tool[] {
  return [...namedTools(plugins)].flatMap(([name, { tool }]) =>
    isExposed(tool, facets) && canBeSent(tool) ? [{ ...tool, name }] : [],
  );
}

function isExposed({ facet }: Tool, facets: boolean): boolean {
  return facet === undefined || (facets && facet !== 'talk');
}

/** The plugin and tool of a name; a plugin may have tools that it does not list. */
export function exposedTool(
  plugins: readonly Plugin[],
  name: string,
): { readonly plugin: Plugin; readonly tool: string } | CallFailure {
  const tools = namedTools(plugins);
  const listed = tools.get(name);
  if (listed !== undefined) return { plugin: listed.plugin, tool: listed.tool.name };
  const [only, ...others] = plugins;
  // A single plugin decides itself whether it has the tool.
  if (only !== undefined && others.length === 0) return { plugin: only, tool: name };
  for (const { plugin: owner, own } of readingsOf(name)) {
    const plugin = plugins.find((one) => one.name === owner);
    if (plugin !== undefined) return { plugin, tool: own };
  }
  const having = plugins.filter((plugin) => plugin.tools().some((tool) => tool.name === name));
  if (having.length === 1 && having[0] !== undefined) return { plugin: having[0], tool: name };
  return {
    code: 'UNKNOWN_TOOL',
    message: `No plugin has a tool "${name.slice(0, 100)}".${didYouMeanTool(name, tools.keys())}`,
  };
}

/** A schema that is nested too deeply cannot be sent, and with it the whole list. */
function canBeSent({ inputSchema, outputSchema }: Tool): boolean {
  return [inputSchema, outputSchema].every((schema) => typeof schema !== 'object' || isPlain(schema));
}

/** Lists are requested often, and schemas do not change. */
const known = new WeakMap<object, boolean>();

function isPlain(schema: object): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const found = 'json' in plainJson(schema, 'it');
  known.set(schema, found);
  return found;
}

interface Named {
  readonly plugin: Plugin;
  readonly tool: Tool;
}

/** Of two tools of a plugin with the same name the first one counts. */
function namedTools(plugins: readonly Plugin[]): ReadonlyMap<string, Named> {
  const named = new Map<string, Named>();
  for (const plugin of plugins)
    for (const tool of plugin.tools()) {
      const name = plugins.length === 1 ? tool.name : fullName(plugin.name, tool.name);
      if (!named.has(name)) named.set(name, { plugin, tool });
    }
  return named;
}
