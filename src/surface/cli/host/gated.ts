// The registry and the gate of a host of commands: what is called passes them, whoever calls it.
import type { Discovery } from '../../../fleet/discovery/discover.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import { hostOfFleet } from '../../../plugins/mcp/server-host.ts';
import type { FleetParts } from '../../../runtime/fleet-parts.ts';
import type { RuntimeOptions } from '../../../runtime/runtime.ts';
import type { Wired } from '../../../runtime/wire.ts';

export interface Gated {
  /** What it knows is what was found last; with built-in plugins once somebody wants them. */
  readonly wired: (which?: { readonly builtIns: boolean }) => Promise<Wired>;
  /** Puts it into the registry as it is in the fleet. */
  readonly expose: (plugin: Plugin) => Promise<void>;
  readonly unexpose: (plugin: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface GatedParts {
  readonly parts: FleetParts;
  /** What was found last. */
  readonly found: () => Discovery;
  /** Looks again. */
  readonly look: () => Promise<Discovery>;
  readonly options: RuntimeOptions;
}

export function createGated({ parts, found, look, options }: GatedParts): Gated {
  const { fleet, checks } = parts;
  let wantsBuiltIns = false;
  let loading: Promise<Wired> | undefined;
  /** What the registry was told last. */
  let told: Discovery | undefined;
  let telling: Promise<unknown> = Promise.resolve();
  const load = async () => {
    const { wire } = await import('../../../runtime/wire.ts');
    return wire(
      {
        parts,
        fleet: borrowed(fleet),
        servers: { host: () => hostOfFleet(fleet, checks), discover: look },
        discover: (_, builtIns) => {
          const discovery = found();
          const known = (discovery.builtIns ?? []).filter(({ name }) => builtIns.includes(name));
          return Promise.resolve({ ...discovery, builtIns: wantsBuiltIns ? known : [] });
        },
      },
      options,
    );
  };
  const wired = async ({ builtIns } = { builtIns: false }) => {
    const isMore = builtIns && !wantsBuiltIns;
    wantsBuiltIns ||= builtIns;
    loading ??= load();
    const loaded = await loading;
    if (isMore || told !== found()) {
      told = found();
      telling = loaded.registry.discover();
    }
    await telling;
    return loaded;
  };
  const expose = async (plugin: Plugin) => {
    const { registry } = await wired();
    const known = registry.getPlugin(plugin.name);
    // One that was taken out of the fleet and put in again is another.
    if (known?.isExposed === true && known.process === plugin) return;
    await registry.unexposeTool(plugin.name);
    await registry.exposeTool(plugin.name);
  };
  const exposing = new Map<Plugin, Promise<void>>();
  return {
    wired,
    expose(plugin) {
      const underWay = exposing.get(plugin) ?? expose(plugin).finally(() => exposing.delete(plugin));
      exposing.set(plugin, underWay);
      return underWay;
    },
    async unexpose(plugin) {
      await (await loading)?.registry.unexposeTool(plugin);
    },
    async close() {
      await (await loading?.catch(() => undefined))?.close();
    },
  };
}

/** Those that follow the files put plugins into the fleet and take them out; the registry gets them as they are. */
function borrowed(fleet: Fleet): Fleet {
  return {
    ...fleet,
    get plugins() {
      return fleet.plugins;
    },
    add: ({ name }) => fleet.plugin(name),
    remove: () => Promise.resolve(),
  };
}
