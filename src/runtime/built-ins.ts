// The built-in plugins in a registry: known after the first look for plugins, unless another plugin has the name.
import path from 'node:path';
import { PluglotError } from '../base/error.ts';
import type { Definition } from '../definition/definition.ts';
import { failures } from '../definition/failure.ts';
import type { Discovery } from '../fleet/discovery/discover.ts';
import type { Registry } from '../fleet/registry/registry.ts';
import type { CallSource } from '../fleet/registry/contract.ts';
import type { ProgramLauncher, SpawnProgram } from '../fleet/supervisor/launcher.ts';
import { notStarted } from '../fleet/supervisor/spawn.ts';
import type { TrustStore } from '../fleet/trust/trust-store.ts';
import type { Gate } from '../gate/gate.ts';
import type { TerminalPort } from '../outside/terminal.ts';
import type { HostPorts } from '../plugins/host-ports.ts';
import type { McpServers } from '../plugins/mcp/servers.ts';
import { builtInNames, offForClients } from './built-in-names.ts';
import type { FleetParts } from './fleet-parts.ts';
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
  /** Reads the files. */
  readonly discover: (registry: Registry) => Promise<Discovery>;
}

export interface BuiltIns {
  readonly names: readonly string[];
  /** Registers those that were found, with what is configured for them; returns the discovery. */
  readonly follow: (discovery: Discovery) => Discovery;
}

export function builtInsOf(
  { registry, gate, isOn, parts, servers }: BuiltInParts,
  options: RuntimeOptions,
): BuiltIns {
  const { cwd, home, env, person, print, fetch = globalThis.fetch } = options;
  const areThere = options.builtIns === 'by-name' ? isOn : (options.builtIns ?? isOn);
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
  // Made once, since they keep state.
  let definitions: Promise<readonly Definition[]> | undefined;
  const load = async () => {
    const [{ builtInPlugins }, { fleetServers, hostOfRegistry }] = await Promise.all([
      import('../plugins/index.ts'),
      import('../plugins/mcp/fleet-servers.ts'),
    ]);
    const discover = () => servers.discover(registry);
    const host = hostOfRegistry(registry, parts.fleet);
    mcpServers = fleetServers({ host, discover, trust, cwd, home, access });
    return builtInPlugins(made.ports);
  };
  const definitionOf = async (name: string) => {
    definitions ??= load();
    const definition = (await definitions).find((one) => one.name === name);
    if (definition === undefined) throw new Error(`There is no built-in plugin "${name}".`);
    return made.prepared(definition);
  };
  let found: NonNullable<Discovery['builtIns']> = [];
  const settingsOf = (name: string) => ({
    clients: !offForClients.has(name),
    ...found.find((one) => one.name === name),
  });
  return {
    names: areThere ? builtInNames : [],
    follow(discovery) {
      found = discovery.builtIns ?? [];
      for (const { name, disabled } of found)
        if (disabled === undefined && registry.getPlugin(name) === undefined)
          registry.registerDeferred(name, () => definitionOf(name), {
            origin: 'built-in',
            settings: () => settingsOf(name),
          });
      return discovery;
    },
  };
}

interface HostPortParts extends Pick<
  HostPorts,
  'env' | 'cwd' | 'home' | 'configFolder' | 'gate' | 'fetch' | 'mcpServers' | 'sandbox' | 'writableFolders'
> {
  readonly launcher: ProgramLauncher;
  readonly source: Pick<CallSource, 'resolveTool'>;
  readonly trust: TrustStore;
  readonly person: TerminalPort | undefined;
  readonly print: ((line: string) => void) | undefined;
}

interface MadePorts {
  readonly ports: HostPorts;
  /** The plugin, which is not set up before programs can be started that do not outlive the host. */
  prepared(definition: Definition): Definition;
}

function hostPorts(parts: HostPortParts): MadePorts {
  const { launcher, source, trust, print, ...given } = parts;
  let spawn: SpawnProgram | undefined;
  return {
    ports: {
      ...given,
      now: () => new Date(),
      spawn: (program, options) => (spawn ?? tooEarly)(program, options),
      findTool: (name) => source.resolveTool(name),
      async isTrusted(file, sha256) {
        const check = await trust.checker();
        return (await check({ root: path.dirname(file), subjects: [], evidence: [{ file, sha256 }] }))
          .trusted;
      },
      print: (line) => print?.(line),
    },
    prepared(definition) {
      if (!startsPrograms.has(definition.name)) return definition;
      return {
        ...definition,
        async setup(context) {
          spawn ??= await launcher.programs();
          await definition.setup?.(context);
        },
      };
    },
  };
}

/** Getting ready for that takes a moment, which others do not need to wait. */
const startsPrograms: ReadonlySet<string> = new Set(['cli']);

const tooEarly: SpawnProgram = (program) =>
  notStarted(
    new PluglotError(
      'NOT_INITIALIZED',
      `"${program.command}" cannot be started before the plugin is set up.`,
    ),
  );
