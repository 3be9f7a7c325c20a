// For a name that nobody is called by: what is wrong, and what may have been meant.
import { didYouMean } from '../../base/suggest.ts';
import type { Profile } from '../../definition/backend.ts';
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
  const isMeant = (one: Unexposed) => isOf(name, kind, one) || name.startsWith(`${one.name}__`);
  const stopped = unexposed.find((one) => one.stopped !== undefined && isMeant(one))?.stopped;
  const isWanted = exposed.wanting(kind, name).length > 0;
  if (stopped !== undefined && !isWanted) return stopped;
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
  const others = exposed.wanting(kind, name).flatMap((one) => one.name ?? []);
  if (others.length > 0)
    return `Several plugins have a ${what}: call it as ${others.map((other) => `"${other}"`).join(' or ')}.`;
  for (const one of unexposed)
    if (isOf(name, kind, one))
      return `Plugin "${one.name}" has a ${what}, but is not exposed. Expose it first.`;
  const [, reason] = [...blocked].find(([plugin]) => name.startsWith(`${plugin}__`)) ?? [];
  if (reason !== undefined) return reason.message;
  return `There is no ${what}.${didYouMean(name, exposed.names(kind))}`;
}

function isOf(name: string, kind: 'tool' | 'command', { name: plugin, profile }: Unexposed): boolean {
  const list = (kind === 'tool' ? profile?.tools : profile?.commands) ?? [];
  return list.some(
    (one) => one.name === name || name === `${plugin}__${one.name}` || name === `mcp__${plugin}__${one.name}`,
  );
}
