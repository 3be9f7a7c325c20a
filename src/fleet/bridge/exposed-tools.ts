// The tools of several plugins under one roof: by their own names, and where two have the same one, as `plugin__tool`.
import { didYouMean } from '../../base/suggest.ts';
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
  const named = plugins.find((plugin) => name.startsWith(fullName(plugin, '')));
  if (named !== undefined) return { plugin: named, tool: name.slice(fullName(named, '').length) };
  return {
    code: 'UNKNOWN_TOOL',
    message: `No plugin has a tool "${name.slice(0, 100)}".${didYouMean(name, tools.keys())}`,
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

/** Of two tools that would have the same name all the same, the first one counts. */
function namedTools(plugins: readonly Plugin[]): ReadonlyMap<string, Named> {
  const all = plugins.flatMap((plugin) => plugin.tools().map((tool) => ({ plugin, tool })));
  const taken = new Map<string, Plugin | 'several'>();
  const take = (name: string, plugin: Plugin) => {
    const owner = taken.get(name);
    taken.set(name, owner === undefined || owner === plugin ? plugin : 'several');
  };
  for (const { plugin, tool } of all) {
    take(tool.name, plugin);
    take(fullName(plugin, tool.name), plugin);
  }
  const named = new Map<string, Named>();
  for (const each of all) {
    const { plugin, tool } = each;
    const name = taken.get(tool.name) === plugin ? tool.name : fullName(plugin, tool.name);
    if (!named.has(name)) named.set(name, each);
  }
  return named;
}

function fullName(plugin: Plugin, tool: string): string {
  return `${plugin.name}__${tool}`;
}
