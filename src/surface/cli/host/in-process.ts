// Plugins that run in this very process: modules that were found, and the built-in ones, which are looked at when nothing else has a name.
import { PluglotError, toError } from '../../../base/error.ts';
import type { CommandProfile, Profile } from '../../../definition/backend.ts';
import type { Registry } from '../../../fleet/registry/registry.ts';
import type { Gated } from './gated.ts';
import type { CommandView, Inspection, PluginView, Problem, Shown, ToolView } from './host.ts';
import { builtInView, manifestOf, moduleView } from './plugin-views.ts';
import type { Project } from './project.ts';
import { nameOf, refusalOf } from './refusals.ts';

export interface InProcess {
  /** Whether the name is that of one of them, also one that may not be used. */
  readonly has: (name: string) => boolean;
  readonly isBuiltIn: (name: string) => boolean;
  /** Of modules that may be loaded. */
  readonly names: () => readonly string[];
  /** @throws PluglotError UNKNOWN_PLUGIN */
  readonly view: (name: string) => Promise<PluginView>;
  readonly views: (shown?: Shown) => Promise<readonly PluginView[]>;
  /** Sets up what has to be asked; who fails is in the problems, and so are those that may not be asked. */
  readonly exposeAll: (shown?: Shown) => Promise<readonly Problem[]>;
  /** Modules that were tried and could not be set up, and why. */
  readonly failures: () => ReadonlyMap<string, Error>;
  readonly expose: (name: string) => Promise<Registry>;
  readonly unexpose: (name: string) => Promise<void>;
  /** Of those that are exposed. */
  readonly tools: () => Promise<readonly Omit<ToolView, 'name'>[]>;
  /** Of all that may be used, as far as they are known. */
  readonly toolNames: () => Promise<readonly string[]>;
  /** `builtIns`: those alone; else modules alone. The plugin of what is found is exposed. */
  readonly findTool: (name: string, which: 'modules' | 'builtIns') => Promise<ToolView | undefined>;
  readonly commands: () => Promise<readonly CommandView[]>;
  /** Its plugin is exposed. */
  readonly findCommand: (name: string) => Promise<CommandView | undefined>;
  readonly inspect: (name: string) => Promise<Inspection>;
}

export function inProcessPlugins(gated: Gated, project: Project | undefined): InProcess {
  const modules = () => project?.discovery.modules ?? [];
  const builtIns = () => project?.discovery.builtIns ?? [];
  const usableModules = () =>
    modules()
      .filter((found) => refusalOf(found) === undefined)
      .map(nameOf);
  const usableBuiltIns = () =>
    builtIns().flatMap(({ name, disabled }) => (disabled === undefined ? [name] : []));
  const isBuiltIn = (name: string) => builtIns().some((one) => one.name === name);
  const registryOf = async (names: readonly string[]) =>
    (await gated.wired({ builtIns: names.some(isBuiltIn) })).registry;
  /** Undefined while nobody has used one of them: then all rest. */
  const usedRegistry = () => (gated.isLoaded() ? registryOf([]) : undefined);
  const viewsIn = (registry: Registry | undefined, all: boolean): PluginView[] => [
    ...modules().map((found) => moduleView(found, registry?.getPlugin(nameOf(found)))),
    ...(all ? builtIns().map((one) => builtInView(one, registry?.getPlugin(one.name))) : []),
  ];
  const expose = async (name: string) => {
    const found = modules().find((one) => nameOf(one) === name);
    const refusal = found && refusalOf(found);
    if (refusal !== undefined) throw refusal;
    const registry = await registryOf([name]);
    await registry.exposeTool(name);
    return registry;
  };
  const failures = new Map<string, Error>();
  const exposeEach = async (names: readonly string[]): Promise<Problem[]> => {
    await Promise.all(
      names.map(async (name) => {
        const failure = await failureOf(expose(name));
        if (failure === undefined) failures.delete(name);
        else failures.set(name, failure);
      }),
    );
    return names.flatMap((name) => {
      const failure = failures.get(name);
      return failure === undefined ? [] : [problemOf(name, failure)];
    });
  };
  const profilesOf = async (names: readonly string[]): Promise<[string, Profile][]> => {
    if (names.length === 0) return [];
    const registry = await registryOf(names);
    return names.flatMap((name) => {
      const profile = registry.getPlugin(name)?.profile;
      return profile === undefined ? [] : [[name, profile]];
    });
  };
  const commands = async () => {
    await exposeEach(usableModules());
    return namedCommands(await profilesOf([...usableModules(), ...usableBuiltIns()]));
  };
  return {
    isBuiltIn,
    names: usableModules,
    async view(name) {
      const found = viewsIn(await usedRegistry(), true).find((one) => one.name === name);
      return found ?? unknown(name);
    },
    has: (name) => modules().some((one) => nameOf(one) === name) || isBuiltIn(name),
    views: async ({ all = false } = {}) => viewsIn(await usedRegistry(), all),
    async exposeAll({ all = false } = {}) {
      const failed = await exposeEach([...usableModules(), ...(all ? usableBuiltIns() : [])]);
      const refused = modules().flatMap((found) => {
        const refusal = refusalOf(found);
        return refusal?.code === 'NOT_TRUSTED' ? [problemOf(nameOf(found), refusal)] : [];
      });
      return [...failed, ...refused];
    },
    failures: () => new Map([...failures].filter(([name]) => !isBuiltIn(name))),
    expose,
    async unexpose(name) {
      await (await registryOf([name])).unexposeTool(name);
    },
    async tools() {
      const registry = await usedRegistry();
      if (registry === undefined) return [];
      const exposed = [...usableModules(), ...usableBuiltIns()].filter((name) => registry.isExposed(name));
      return exposed.flatMap((plugin) =>
        (registry.getPlugin(plugin)?.profile?.tools ?? []).map((tool) => ({ plugin, tool })),
      );
    },
    async toolNames() {
      const profiles = await profilesOf([...usableModules(), ...usableBuiltIns()]);
      return profiles.flatMap(([, { tools }]) => tools.map((tool) => tool.name));
    },
    async findTool(name, which) {
      const names = which === 'modules' ? usableModules() : usableBuiltIns();
      // What a module has is known when it runs; of the built-in ones it is known before.
      if (which === 'modules') await exposeEach(names);
      for (const [plugin, { tools }] of await profilesOf(names)) {
        const tool = tools.find((one) => one.name === name || `${plugin}__${one.name}` === name);
        if (tool === undefined) continue;
        await expose(plugin);
        return { plugin, name, tool };
      }
      return undefined;
    },
    commands,
    async findCommand(name) {
      const all = await commands();
      const found = all.find((one) => one.name === name || `${one.plugin}__${one.command.name}` === name);
      if (found !== undefined) await expose(found.plugin);
      return found;
    },
    async inspect(name) {
      const registry = await expose(name);
      const profile = registry.getPlugin(name)?.profile;
      const plugin = viewsIn(registry, true).find((view) => view.name === name);
      if (profile === undefined || plugin === undefined) return unknown(name);
      return { plugin, manifest: manifestOf(profile), commands: profile.commands };
    },
  };
}

/** Between two looks it was taken away. */
function unknown(name: string): never {
  throw new PluglotError('UNKNOWN_PLUGIN', `There is no plugin "${name}".`);
}

/** Bare where no other plugin has it. */
function namedCommands(profiles: readonly (readonly [string, Profile])[]): CommandView[] {
  const all = profiles.flatMap(([plugin, { commands }]) =>
    commands.map((command): { plugin: string; command: CommandProfile } => ({ plugin, command })),
  );
  return all.map(({ plugin, command }) => {
    const isShared = all.some((other) => other.plugin !== plugin && other.command.name === command.name);
    return { plugin, name: isShared ? `${plugin}__${command.name}` : command.name, command };
  });
}

async function failureOf(exposed: Promise<unknown>): Promise<Error | undefined> {
  try {
    await exposed;
    return undefined;
  } catch (thrown) {
    return toError(thrown);
  }
}

export function problemOf(who: string, error: Error): Problem {
  const code = error instanceof PluglotError ? { code: error.code } : {};
  return { who, message: error.message, ...code };
}
