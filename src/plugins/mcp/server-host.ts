// Who runs the servers: what the command needs of a fleet, and the fleet that does it.
import type { Discovery } from '../../fleet/discovery/discover.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';

export interface ServerHost {
  readonly plugins: readonly Plugin[];
  /** Takes it in, as these files say, and does not wait for its start. The check is to be asked before each start. */
  put(spec: PluginSpec, checkAgain: Discovery['checkAgain']): Promise<Plugin>;
  /** Stops it and forgets it; nothing when it is not there. */
  drop(name: string): Promise<void>;
}

/** `checks` are those that the launcher of the fleet looks at before it starts something. */
export function hostOfFleet(fleet: Fleet, checks?: Map<string, Discovery['checkAgain']>): ServerHost {
  return {
    get plugins() {
      return fleet.plugins;
    },
    put(spec, checkAgain) {
      checks?.set(spec.name, checkAgain);
      return Promise.resolve(fleet.add(spec));
    },
    async drop(name) {
      if (fleet.plugins.some((plugin) => plugin.name === name)) await fleet.remove(name);
    },
  };
}
