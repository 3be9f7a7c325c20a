// The tools of plugins that are served in another dialect: one plugin keeps its names, those of several are called `plugin__tool`.
import { didYouMeanTool, fullName, readingsOf } from '../../definition/full-name.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Plugin } from '../plugin/plugin.ts';

/**
 * Without those that stand for a facet, unless they are wanted: each dialect asks for it in words of its own. A conversation is never held by
 * calls, since those of others would come between.
 */
export function exposedTools(plugins: readonly Plugin[], { facets = false } = {}): readonly Tool[] {
  return [...namedTools(plugins)].flatMap(([name, { tool }]) =>
    isExposed(tool, facets) && canBeTold(tool) ? [{ ...tool, name }] : [],
  );
}

function isExposed({ facet }: Tool, facets: boolean): boolean {
  return facet === undefined || (facets && facet !== 'talk');
}

/** Which tool of which plugin is meant; a tool that no list names may be there all the same. */
export function exposedTool(
  plugins: readonly Plugin[],
  name: string,
): { readonly plugin: Plugin; readonly tool: string } | CallFailure {
  const tools = namedTools(plugins);
  const listed = tools.get(name);
  if (listed !== undefined) return { plugin: listed.plugin, tool: listed.tool.name };
  const [only, ...others] = plugins;
  // It knows best whether it has such a tool.
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

/** A schema may be nested so deep that no wire can carry it, and with it the whole list. */
function canBeTold({ inputSchema, outputSchema }: Tool): boolean {
  return [inputSchema, outputSchema].every((schema) => typeof schema !== 'object' || isPlain(schema));
}

/** Lists are asked for often, and schemas stay as they are. */
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
