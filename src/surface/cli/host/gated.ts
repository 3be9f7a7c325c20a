// The registry and the gate of a host of commands: what is called passes them, whoever calls it.
import type { Discovery } from '../../../fleet/discovery/discover.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import { hostOfFleet, type ServerHost } from '../../../plugins/mcp/server-host.ts';
import type { FleetParts } from '../../../runtime/fleet-parts.ts';
import type { RuntimeOptions } from '../../../runtime/runtime-parts.ts';
import { stoppedByUser } from '../../../runtime/views/keeper.ts';
import type { Wired } from '../../../runtime/wire.ts';
import { createExposure, type Exposure } from './exposure.ts';

export interface Gated extends Exposure {
  /** What it knows is what was found last; with built-in plugins once somebody wants them. */
  readonly wired: (which?: { readonly builtIns: boolean }) => Promise<Wired>;
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
        servers: { host: () => servers, discover: look },
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
  const exposure = createExposure({
    registry: async () => (await wired()).registry,
    loaded: async () => (await loading)?.registry,
  });
  const servers = offeredServers(hostOfFleet(fleet, checks), exposure);
  return {
    ...exposure,
    wired,
    async close() {
      await (await loading?.catch(() => undefined))?.close();
    },
  };
}

/** What the command `mcp` stops is not offered either. */
function offeredServers(host: ServerHost, { unexpose, wake }: Exposure): ServerHost {
  return {
    get plugins() {
      return host.plugins;
    },
    failureOf: (name) => host.failureOf(name),
    drop: (name) => host.drop(name),
    async start(...asked) {
      await wake(asked[0].name);
      await host.start(...asked);
    },
    async stop(name) {
      await unexpose(name, stoppedByUser(name));
      await host.stop(name);
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
