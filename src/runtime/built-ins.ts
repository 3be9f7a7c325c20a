// The built-in plugins in a registry: known once somebody has looked for plugins, where nothing else has their names.
import type { Discovery } from '../fleet/discovery/discover.ts';
import type { Registry } from '../fleet/registry/registry.ts';
import type { Gate } from '../gate/gate.ts';
import { builtInPlugins } from '../plugins/index.ts';
import type { FleetParts } from './fleet-parts.ts';
import { hostPorts } from './host-ports.ts';
import type { RuntimeOptions } from './runtime.ts';

export interface BuiltInParts {
  readonly registry: Registry;
  readonly gate: () => Gate;
  /** As the configuration has it. */
  readonly isOn: boolean;
  readonly parts: FleetParts;
}

export interface BuiltIns {
  readonly names: readonly string[];
  /** Registers those that were found, with what is configured for them; hands on what it got. */
  readonly follow: (discovery: Discovery) => Discovery;
}

export function builtInsOf({ registry, gate, isOn, parts }: BuiltInParts, options: RuntimeOptions): BuiltIns {
  const { cwd, home, env, person, print, fetch = globalThis.fetch, builtIns = isOn } = options;
  const { folders, launcher, trust } = parts;
  const made = hostPorts({
    cwd,
    home,
    env,
    configFolder: folders.config,
    fetch,
    gate,
    launcher,
    source: registry,
    trust,
    person,
    print,
  });
  const definitions = builtIns ? builtInPlugins(made.ports) : [];
  const registered = new Set<string>();
  let found: NonNullable<Discovery['builtIns']> = [];
  const settingsOf = (name: string) => found.find((one) => one.name === name) ?? {};
  return {
    names: definitions.map(({ name }) => name),
    follow(discovery) {
      found = discovery.builtIns ?? [];
      for (const definition of definitions) {
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
