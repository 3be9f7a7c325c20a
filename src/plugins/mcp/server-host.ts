// Who runs the servers: what the command needs of a host, and the two that there are, a fleet alone and a registry over a fleet.
import type { PluglotError } from '../../base/error.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { Discovery } from '../../fleet/discovery/discover.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import type { Registry } from '../../fleet/registry/registry.ts';

export interface ServerHost {
  readonly plugins: readonly Plugin[];
  /** Why one that is not there could not be started the last time. */
  failureOf(name: string): PluglotError | undefined;
  /**
   * Takes it in, where it is not there, and starts it. `seen` gets the plugin as soon as there is one; the check is to be asked before each start.
   * @throws PluglotError why it cannot be started
   */
  start(spec: PluginSpec, checkAgain: Discovery['checkAgain'], seen: (plugin: Plugin) => void): Promise<void>;
  /** Until it is started again, nothing of it can be called. */
  stop(name: string): Promise<void>;
  /** Stops it and forgets it; nothing when it is not there. */
  drop(name: string): Promise<void>;
}

/** `checks` are those that the launcher of the fleet looks at before it starts something. */
export function hostOfFleet(fleet: Fleet, checks?: Map<string, Discovery['checkAgain']>): ServerHost {
  const find = (name: string) => fleet.plugins.find((plugin) => plugin.name === name);
  return {
    get plugins() {
      return fleet.plugins;
    },
    failureOf: () => undefined,
    async start(spec, checkAgain, seen) {
      const present = find(spec.name);
      if (present === undefined) checks?.set(spec.name, checkAgain);
      const plugin = present ?? fleet.add(spec);
      seen(plugin);
      await plugin.start();
    },
    async stop(name) {
      await find(name)?.stop();
    },
    async drop(name) {
      if (find(name) !== undefined) await fleet.remove(name);
    },
  };
}

/** The registry has to have looked at the files before, as they are now: what it exposes is in the fleet, and only that. */
export function hostOfRegistry(registry: Registry, fleet: Fleet): ServerHost {
  return {
    get plugins() {
      return fleet.plugins;
    },
    failureOf: (name) => registry.getPlugin(name)?.failure,
    async start({ name }, _, seen) {
      const present = registry.getPlugin(name)?.process;
      if (present !== undefined) {
        seen(present);
        await present.start();
        return;
      }
      // One that fails is in the fleet for just as long.
      const endListening = fleet.onEvent(({ kind, plugin }) => {
        if (kind === 'plugin-added' && plugin === name) seen(fleet.plugin(name));
      });
      try {
        await registry.exposeTool(name);
      } finally {
        endListening();
      }
    },
    stop: (name) => registry.unexposeTool(name),
    drop: (name) => registry.unexposeTool(name),
  };
}
