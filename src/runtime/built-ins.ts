// The built-in plugins in a registry: known once somebody has looked for plugins, where nothing else has their names.
import type { Definition } from '../definition/definition.ts';
import type { Discovery } from '../fleet/discovery/discover.ts';
import { failures } from '../definition/common-failures.ts';
import type { Registry } from '../fleet/registry/registry.ts';
import type { Gate } from '../gate/gate.ts';
import type { ServerHost } from '../plugins/mcp/server-host.ts';
import type { McpServers } from '../plugins/mcp/servers.ts';
import { builtInNames, offForClients } from './built-in-names.ts';
import type { FleetParts } from './fleet-parts.ts';
import { hostPorts } from './host-ports.ts';
import type { RuntimeOptions } from './runtime-parts.ts';

export interface BuiltInParts {
  readonly registry: Registry;
  readonly gate: () => Gate;
  /** As the configuration has it. */
  readonly isOn: boolean;
  readonly parts: FleetParts;
  readonly servers: Servers;
}

/** What the command `mcp` needs of its host. */
export interface Servers {
  readonly host: (registry: Registry) => ServerHost;
  /** Reads the files. */
  readonly discover: (registry: Registry) => Promise<Discovery>;
}

export interface BuiltIns {
  readonly names: readonly string[];
  /** Loads and registers those that were found, with what is configured for them; hands on what it got. */
  readonly follow: (discovery: Discovery) => Promise<Discovery>;
}

export function builtInsOf(
  { registry, gate, isOn, parts, servers }: BuiltInParts,
  options: RuntimeOptions,
): BuiltIns {
  const { cwd, home, env, person, print, fetch = globalThis.fetch, builtIns = isOn } = options;
  const { folders, launcher, trust, access, sandbox, places } = parts;
  let mcpServers: McpServers | undefined;
  const made = hostPorts({
    cwd,
    home,
    env,
    configFolder: folders.config,
    fetch,
    gate,
    launcher,
    async sandbox() {
      await places.read();
      return sandbox();
    },
    writableFolders: () => places.writable(),
    source: registry,
    trust,
    person,
    print,
    mcpServers: () => mcpServers ?? failures.notInitialized(),
  });
  // Made once, since what they hold is theirs; by then all they need is there.
  let definitions: Promise<readonly Definition[]> | undefined;
  const load = async () => {
    const [{ builtInPlugins }, { fleetServers }] = await Promise.all([
      import('../plugins/index.ts'),
      import('../plugins/mcp/fleet-servers.ts'),
    ]);
    const discover = () => servers.discover(registry);
    mcpServers = fleetServers({ host: servers.host(registry), discover, trust, cwd, home, access });
    return builtInPlugins(made.ports);
  };
  const registered = new Set<string>();
  let found: NonNullable<Discovery['builtIns']> = [];
  const settingsOf = (name: string) => ({
    clients: !offForClients.has(name),
    ...found.find((one) => one.name === name),
  });
  return {
    names: builtIns ? builtInNames : [],
    async follow(discovery) {
      found = discovery.builtIns ?? [];
      if (found.length === 0) return discovery;
      definitions ??= load();
      for (const definition of await definitions) {
        const { name } = definition;
        const one = found.find((each) => each.name === name);
        if (one === undefined || one.disabled !== undefined || registered.has(name)) continue;
        registry.registerPlugin(made.prepared(definition), {
          origin: 'built-in',
          settings: () => settingsOf(name),
        });
        registered.add(name);
      }
      return discovery;
    },
  };
}
