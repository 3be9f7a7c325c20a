// Which plugins of the fleet are offered through the gate. What somebody has stopped stays so until it is woken, whatever was under way.
import type { PluglotError } from '../../../base/error.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import type { Registry } from '../../../fleet/registry/registry.ts';

type Exposer = Pick<Registry, 'getPlugin' | 'isExposed' | 'exposeTool' | 'unexposeTool'>;

export interface ExposurePorts {
  /** Loaded if need be, and with what was found last. */
  readonly registry: () => Promise<Exposer>;
  /** Undefined where nobody has wanted one yet. */
  readonly loaded: () => Promise<Exposer | undefined>;
}

export interface Exposure {
  /** Puts it into the registry as it is in the fleet, unless somebody has stopped it. */
  readonly expose: (plugin: Plugin) => Promise<void>;
  /** `why`: somebody has stopped it, and until it is woken nothing but this is heard of it. */
  readonly unexpose: (plugin: string, why?: PluglotError) => Promise<void>;
  /** Nobody wants it to be stopped any more. */
  readonly wake: (plugin: string) => Promise<void>;
  readonly isStopped: (plugin: string) => Promise<boolean>;
}

export function createExposure({ registry: load, loaded }: ExposurePorts): Exposure {
  /** How often each is being stopped: the registry knows of it only when its turn has come. */
  const stopping = new Map<string, number>();
  const exposing = new Map<Plugin, Promise<void>>();
  const isResting = (registry: Exposer, name: string) =>
    stopping.has(name) || registry.getPlugin(name)?.stopped !== undefined;
  const stop = async (name: string, why: PluglotError) => {
    stopping.set(name, (stopping.get(name) ?? 0) + 1);
    try {
      await (await loaded())?.unexposeTool(name, why);
    } finally {
      const others = (stopping.get(name) ?? 1) - 1;
      if (others === 0) stopping.delete(name);
      else stopping.set(name, others);
    }
  };
  const expose = async (plugin: Plugin) => {
    const { name } = plugin;
    const registry = await load();
    if (isResting(registry, name)) return;
    const known = registry.getPlugin(name);
    // One that was taken out of the fleet and put in again is another.
    if (known?.isExposed === true && known.process === plugin) return;
    await registry.unexposeTool(name);
    // Whoever stops it from now on has a later turn.
    if (!isResting(registry, name)) await registry.exposeTool(name);
  };
  return {
    expose(plugin) {
      const underWay = exposing.get(plugin) ?? expose(plugin).finally(() => exposing.delete(plugin));
      exposing.set(plugin, underWay);
      return underWay;
    },
    async unexpose(name, why) {
      if (why !== undefined) return stop(name, why);
      const registry = await loaded();
      if (registry?.isExposed(name) === true && !isResting(registry, name)) await registry.unexposeTool(name);
    },
    async wake(name) {
      const registry = await load();
      if (isResting(registry, name)) await registry.unexposeTool(name);
    },
    isStopped: async (name) => isResting(await load(), name),
  };
}
