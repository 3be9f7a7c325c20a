// The registry and the gate of a host of commands, loaded while plugins start: what a user calls passes them like all else.
import { systemClock } from '../../../base/clock.ts';
import type { CallEvent, Outcome } from '../../../definition/outcome.ts';
import type { Discovery } from '../../../fleet/discovery/discover.ts';
import type { Fleet } from '../../../fleet/fleet.ts';
import type { CallOptions } from '../../../fleet/plugin/call.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import type { Talk } from '../../../fleet/plugin/talk.ts';
import type { Registry } from '../../../fleet/registry/registry.ts';
import { hostOfFleet } from '../../../plugins/mcp/server-host.ts';
import type { FleetParts } from '../../../runtime/fleet-parts.ts';
import type { RuntimeOptions } from '../../../runtime/runtime.ts';
import type { Wired } from '../../../runtime/wire.ts';
import type { HostCall } from './host.ts';
import { hear } from './own-talk.ts';

export interface Gated {
  /** Loaded when it is first asked for; what it knows is what was found last. */
  readonly wired: (which?: { readonly builtIns: boolean }) => Promise<Wired>;
  readonly isLoaded: () => boolean;
  /** A tool of a plugin that is in the fleet and runs. */
  readonly call: (plugin: Plugin, ...asked: Asked) => Promise<Outcome>;
  /** One of a plugin that is exposed already. */
  readonly callExposed: (plugin: string, ...asked: Asked) => Promise<Outcome>;
  /** A conversation with a plugin that is exposed already. */
  readonly talkExposed: (
    plugin: string,
    request: Pick<HostCall, 'tool' | 'args'>,
    options: Omit<CallOptions, 'caller'>,
  ) => Promise<Talk>;
  /** Puts it into the registry as it is in the fleet. */
  readonly expose: (plugin: Plugin) => Promise<void>;
  readonly unexpose: (plugin: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

type Asked = readonly [
  request: Pick<HostCall, 'tool' | 'args'>,
  options: Omit<CallOptions, 'caller'>,
  onEvent: (event: CallEvent) => void,
];

export interface GatedParts {
  readonly parts: FleetParts;
  /** What was found last. */
  readonly found: () => Discovery;
  /** Looks again. */
  readonly look: () => Promise<Discovery>;
  readonly options: RuntimeOptions;
}

const user = { kind: 'user' } as const;

export function createGated({ parts, found, look, options }: GatedParts): Gated {
  const { fleet, checks } = parts;
  let wantsBuiltIns = false;
  let loading: Promise<Wired> | undefined;
  /** What the registry was told last. */
  let told: Discovery | undefined;
  let telling: Promise<unknown> = Promise.resolve();
  let talks = 0;
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
  const callExposed: Gated['callExposed'] = async (plugin, { tool, args }, given, onEvent) => {
    const { registry, gate } = await wired();
    const name = exposedName(registry, plugin, tool);
    return hear(gate.call(name, args, { ...given, caller: user }), onEvent);
  };
  return {
    wired,
    isLoaded: () => loading !== undefined,
    expose,
    async unexpose(plugin) {
      await (await loading)?.registry.unexposeTool(plugin);
    },
    async call(plugin, ...asked) {
      await expose(plugin);
      return callExposed(plugin.name, ...asked);
    },
    callExposed,
    async talkExposed(plugin, { tool, args }, given) {
      const [{ registry, gate }, { GatedTalk }] = await Promise.all([
        wired(),
        import('../../../runtime/views/gated-talk.ts'),
      ]);
      const name = exposedName(registry, plugin, tool);
      const newId = () => `talk-${(talks += 1)}`;
      return new GatedTalk({ registry, gate, clock: systemClock, newId }, name, args, {
        ...given,
        caller: user,
      });
    },
    async close() {
      await (await loading?.catch(() => undefined))?.close();
    },
  };
}

/** As it is called there: bare, or with its plugin where several have it. */
function exposedName(registry: Registry, plugin: string, tool: string): string {
  const resolved = registry.resolveTool(tool);
  return resolved?.plugin === plugin && resolved.tool.name === tool ? tool : `${plugin}__${tool}`;
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
