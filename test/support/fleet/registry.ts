// A registry for tests: what is logged and what changes is kept, and its gate lets everything through.
import { onTestFinished } from 'vitest';
import { definePlugin } from '../../../src/definition/define-plugin.ts';
import type { Definition } from '../../../src/definition/definition.ts';
import type { Discovery, Found, FoundModule } from '../../../src/fleet/discovery/discover.ts';
import type { Trust } from '../../../src/fleet/trust/trust-store.ts';
import {
  createRegistry,
  type Registry,
  type RegistryChange,
  type RegistryOptions,
} from '../../../src/fleet/registry/registry.ts';
import type { CallGate, CallSource, GatedCallOptions } from '../../../src/fleet/registry/contract.ts';
import { fakeWorld, type FakeWorld, type WorldOptions } from './fake-world.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface TestRegistry {
  readonly registry: Registry;
  readonly world: FakeWorld;
  /** As `plugin: message`. */
  readonly logged: readonly string[];
  readonly changes: readonly RegistryChange[];
}

export function testRegistry(
  options: Partial<RegistryOptions> = {},
  worldOptions: WorldOptions = {},
): TestRegistry {
  const world = fakeWorld(worldOptions);
  const logged: string[] = [];
  const changes: RegistryChange[] = [];
  const registry = createRegistry({
    fleet: world.fleet,
    env: {},
    stateFolder: temporaryFolder(),
    clock: world.clock,
    random: () => 0,
    log: (plugin, { message }) => void logged.push(`${plugin}: ${message}`),
    ...options,
  });
  registry.onChanged((change) => void changes.push(change));
  onTestFinished(() => registry.close());
  return { registry, world, logged, changes };
}

/** With tools that answer with their own full name. */
export function pluginOf(name: string, ...tools: readonly string[]): Definition {
  return definePlugin({
    name,
    version: '1.0.0',
    tools: Object.fromEntries(tools.map((tool) => [tool, { handler: () => `${name}.${tool}` }])),
  });
}

export interface SeenCall {
  readonly kind: 'tool' | 'command';
  readonly name: string;
  readonly options: GatedCallOptions;
}

/** Lets everything through, and keeps what it saw. */
export function openGate(source: CallSource): CallGate & { readonly seen: readonly SeenCall[] } {
  const seen: SeenCall[] = [];
  const found = <Resolved>(resolved: Resolved | undefined, name: string): Resolved => {
    if (resolved === undefined) throw new Error(`The test calls "${name}", which is not there.`);
    return resolved;
  };
  return {
    seen,
    call(name, args, options) {
      seen.push({ kind: 'tool', name, options });
      const { caller, ...rest } = options;
      return found(source.resolveTool(name), name).call(args, { ...rest, onBehalfOf: caller });
    },
    run(name, args, options) {
      seen.push({ kind: 'command', name, options });
      const { caller, ...rest } = options;
      return found(source.resolveCommand(name), name).call(args, { ...rest, onBehalfOf: caller });
    },
  };
}

/** What a look finds, all trusted by default. */
export function discovery(
  parts: {
    readonly plugins?: readonly (Omit<Found, 'trust' | 'origin'> & Partial<Found>)[];
    readonly modules?: readonly (Omit<FoundModule, 'trust' | 'origin'> & Partial<FoundModule>)[];
    readonly problems?: Discovery['problems'];
    readonly checkAgain?: (plugin: string) => Trust;
  } = {},
): Discovery {
  const about = { trust: { trusted: true }, origin: { kind: 'folder', file: '/found/here' } } as const;
  const plugins = (parts.plugins ?? []).map((found) => ({ ...about, ...found }));
  const modules = (parts.modules ?? []).map((found) => ({ ...about, ...found }));
  return {
    plugins,
    modules,
    names: [...plugins.map(({ spec }) => spec.name), ...modules.map(({ module }) => module.name)],
    problems: parts.problems ?? [],
    checkAgain: (plugin) => Promise.resolve(parts.checkAgain?.(plugin) ?? { trusted: true }),
  };
}
