// For a name that nobody is called by: what is wrong, and what may have been meant.
import type { Profile } from '../../definition/backend.ts';
import { didYouMeanTool, isNameOf, readingsOf } from '../../definition/full-name.ts';
import { PluglotError } from '../../base/error.ts';
import type { ExposedPlugins } from './exposed-plugins.ts';

export interface Unexposed {
  readonly name: string;
  /** Undefined where nobody has asked it yet. */
  readonly profile: Profile | undefined;
  readonly stopped: PluglotError | undefined;
}

export function whyNot(
  name: string,
  kind: 'tool' | 'command',
  exposed: ExposedPlugins,
  unexposed: readonly Unexposed[],
  blocked: ReadonlyMap<string, PluglotError>,
): PluglotError {
  // Some dialects have tools that nobody lists.
  const isMeant = (one: Unexposed) => isOf(name, kind, one) || namesPlugin(name, one.name);
  const stopped = unexposed.find((one) => one.stopped !== undefined && isMeant(one))?.stopped;
  if (stopped !== undefined && exposed.having(kind, name).length === 0) return stopped;
  return new PluglotError('UNKNOWN_TOOL', inWords(name, kind, exposed, unexposed, blocked));
}

/** One sentence or two. */
function inWords(
  name: string,
  kind: 'tool' | 'command',
  exposed: ExposedPlugins,
  unexposed: Iterable<Unexposed>,
  blocked: ReadonlyMap<string, PluglotError>,
): string {
  const what = `${kind} "${name.slice(0, 100)}"`;
  const off = kind === 'tool' ? exposed.findTool(name) : undefined;
  if (off !== undefined && off.plugin.disabled.has(off.tool.name))
    return `The ${what} of plugin "${off.plugin.name}" is switched off here.`;
  const having = exposed.having(kind, name).map((one) => `"${one.name}"`);
  if (having.length > 1) return `Several plugins have a ${what}: call it as ${having.join(' or ')}.`;
  if (having.length === 1)
    return `A ${kind} with "__" in its name is called with its plugin: ${having.join('')}.`;
  for (const one of unexposed)
    if (isOf(name, kind, one))
      return `Plugin "${one.name}" has a ${what}, but is not exposed. Expose it first.`;
  const [, reason] = [...blocked].find(([plugin]) => namesPlugin(name, plugin)) ?? [];
  if (reason !== undefined) return reason.message;
  return `There is no ${what}.${didYouMeanTool(name, exposed.names(kind))}`;
}

function isOf(name: string, kind: 'tool' | 'command', { name: plugin, profile }: Unexposed): boolean {
  const list = (kind === 'tool' ? profile?.tools : profile?.commands) ?? [];
  return list.some((one) => isNameOf(name, plugin, one.name));
}

function namesPlugin(name: string, plugin: string): boolean {
  return readingsOf(name).some((one) => one.plugin === plugin);
}
