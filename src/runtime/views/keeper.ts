// Who has the plugins of a host in hand. The registry alone, unless somebody sees to more, such as files that are followed.
import { PluglotError } from '../../base/error.ts';
import { readingsOf } from '../../definition/full-name.ts';
import type { RuntimeParts } from '../runtime-parts.ts';

export interface Keeper {
  /** Reads again what is configured, and follows it. */
  look(): Promise<unknown>;
  /** @throws PluglotError UNKNOWN_PLUGIN, NOT_TRUSTED, or why it does not start */
  start(plugin: string): Promise<unknown>;
  stop(plugin: string): Promise<unknown>;
  restart(plugin: string): Promise<unknown>;
  /** It has introduced itself and is exposed then. @throws PluglotError as for a start; who has failed is not tried anew */
  ask(plugin: string): Promise<unknown>;
  /** The plugin that a name means, which is asked where it was not. @throws PluglotError UNKNOWN_TOOL, or why it cannot be asked */
  owner(name: string, kind: 'tool' | 'command'): Promise<Owned>;
  /** What is configured for it now that it does not follow yet, and the way out. */
  changeOf?(plugin: string): string | undefined;
}

interface Owned {
  readonly plugin: string;
  /** As the plugin itself calls it. */
  readonly own: string;
}

/** What those hear who want something of a plugin that somebody stopped. */
export function stoppedByUser(plugin: string): PluglotError {
  return new PluglotError(
    'PLUGIN_STOPPED',
    `Plugin "${plugin}" is stopped. \`pluglot start ${plugin}\` starts it.`,
  );
}

export function registryKeeper({ registry }: Pick<RuntimeParts, 'registry'>): Keeper {
  const ask = async (name: string) => {
    if (registry.isExposed(name)) return;
    const { stopped, failure } = registry.getPlugin(name) ?? {};
    if (stopped !== undefined) throw stopped;
    if (failure !== undefined) throw failure;
    await registry.exposeTool(name);
  };
  const find = (name: string, kind: 'tool' | 'command'): Owned | undefined => {
    const found = kind === 'tool' ? registry.resolveTool(name) : registry.resolveCommand(name);
    if (found === undefined) return undefined;
    return { plugin: found.plugin, own: (found.kind === 'tool' ? found.tool : found.command).name };
  };
  return {
    look: () => registry.discover(),
    async start(name) {
      await (registry.getPlugin(name)?.process?.start() ?? registry.exposeTool(name));
    },
    // What somebody stopped is not offered either.
    stop: (name) => registry.unexposeTool(name, stoppedByUser(name)),
    async restart(name) {
      const process = registry.getPlugin(name)?.process;
      if (process === undefined) await registry.unexposeTool(name);
      await (process?.restart() ?? registry.exposeTool(name));
    },
    ask,
    async owner(name, kind) {
      const known = find(name, kind);
      if (known !== undefined) return known;
      const plugins = registry.listAvailable();
      // The one that is named says itself what is wrong with it.
      for (const { plugin } of readingsOf(name)) if (plugins.includes(plugin)) await ask(plugin);
      if (find(name, kind) === undefined) await Promise.allSettled(plugins.map(ask));
      const found = find(name, kind);
      if (found === undefined) throw registry.whyNot(name, kind);
      return found;
    },
  };
}
