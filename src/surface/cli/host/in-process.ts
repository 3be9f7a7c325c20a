// Plugins that run in this very process: modules that were found, and the built-in ones, which are looked at when nothing else has a name.
import { toError } from '../../../base/error.ts';
import type { CommandProfile, Profile } from '../../../definition/backend.ts';
import { fullName, isNameOf } from '../../../definition/full-name.ts';
import type { Tool } from '../../../definition/tool.ts';
import type { Gated } from './gated.ts';
import type { Project } from './project.ts';
import { nameOf, refusalOf, severalHave } from './refusals.ts';

export interface InProcess {
  /** Whether the name is that of one of them, also one that may not be used. */
  readonly has: (name: string) => boolean;
  /** Of modules that may be loaded. */
  readonly names: () => readonly string[];
  /** Sets up all that can be. Who fails is told of, by name. */
  readonly exposeAll: () => Promise<ReadonlyMap<string, Error>>;
  /** Modules that were tried and could not be set up, and why. */
  readonly failures: () => ReadonlyMap<string, Error>;
  readonly expose: (name: string) => Promise<void>;
  /** Sets it up anew, unless somebody has stopped it. */
  readonly renew: (name: string) => Promise<void>;
  /** Of all that may be used, as far as they are known. */
  readonly toolNames: () => Promise<readonly string[]>;
  readonly commandNames: () => Promise<readonly string[]>;
  /** `builtIns`: those alone; else modules alone. The plugin of what is found is exposed. */
  readonly findTool: (
    name: string,
    which: 'modules' | 'builtIns',
  ) => Promise<{ readonly plugin: string; readonly tool: Tool } | undefined>;
  /** Its plugin is exposed. */
  readonly findCommand: (
    name: string,
  ) => Promise<{ readonly plugin: string; readonly command: CommandProfile } | undefined>;
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
  const expose = async (name: string) => {
    const found = modules().find((one) => nameOf(one) === name);
    const refusal = found && refusalOf(found);
    if (refusal !== undefined) throw refusal;
    await (await registryOf([name])).exposeTool(name);
  };
  const failures = new Map<string, Error>();
  const exposeEach = async (names: readonly string[]): Promise<void> => {
    await Promise.all(
      names.map(async (name) => {
        if (await gated.isStopped(name)) return;
        const failure = await failureOf(expose(name));
        if (failure === undefined) failures.delete(name);
        else failures.set(name, failure);
      }),
    );
  };
  const profilesOf = async (names: readonly string[]): Promise<[string, Profile][]> => {
    if (names.length === 0) return [];
    const registry = await registryOf(names);
    return names.flatMap((name) => {
      const { profile, stopped } = registry.getPlugin(name) ?? {};
      return profile === undefined || stopped !== undefined ? [] : [[name, profile]];
    });
  };
  /** What a module has is known when it runs; of the built-in ones it is known before. */
  const allProfiles = async () => {
    await exposeEach(usableModules());
    return profilesOf([...usableModules(), ...usableBuiltIns()]);
  };
  /** The one with this full name, else the only one with this own name; its plugin is exposed. @throws PluglotError UNKNOWN_TOOL where several have it */
  const only = async <Item extends { readonly plugin: string }>(
    kind: 'tool' | 'command',
    name: string,
    found: readonly Item[],
    ownNameOf: (item: Item) => string,
  ): Promise<Item | undefined> => {
    const named = found.find((item) => ownNameOf(item) !== name);
    if (named === undefined && found.length > 1)
      throw severalHave(
        kind,
        name,
        found.map(({ plugin }) => plugin),
      );
    const item = named ?? found[0];
    if (item !== undefined) await expose(item.plugin);
    return item;
  };
  return {
    names: usableModules,
    has: (name) => modules().some((one) => nameOf(one) === name) || isBuiltIn(name),
    async exposeAll() {
      await exposeEach([...usableModules(), ...usableBuiltIns()]);
      return failures;
    },
    failures: () => new Map([...failures].filter(([name]) => !isBuiltIn(name))),
    expose,
    async renew(name) {
      if (await gated.isStopped(name)) return;
      await (await registryOf([name])).unexposeTool(name);
      await expose(name);
    },
    async toolNames() {
      const profiles = await profilesOf([...usableModules(), ...usableBuiltIns()]);
      return profiles.flatMap(([plugin, { tools }]) => tools.map((tool) => fullName(plugin, tool.name)));
    },
    async commandNames() {
      return (await allProfiles()).flatMap(([plugin, { commands }]) =>
        commands.map((command) => fullName(plugin, command.name)),
      );
    },
    async findTool(name, which) {
      const names = which === 'modules' ? usableModules() : usableBuiltIns();
      if (which === 'modules') await exposeEach(names);
      const found = (await profilesOf(names)).flatMap(([plugin, { tools }]) => {
        const tool = tools.find((one) => isNameOf(name, plugin, one.name));
        return tool === undefined ? [] : [{ plugin, tool }];
      });
      return only('tool', name, found, ({ tool }) => tool.name);
    },
    async findCommand(name) {
      const found = (await allProfiles()).flatMap(([plugin, { commands }]) =>
        commands.flatMap((command) => (isNameOf(name, plugin, command.name) ? [{ plugin, command }] : [])),
      );
      return only('command', name, found, ({ command }) => command.name);
    },
  };
}

async function failureOf(exposed: Promise<unknown>): Promise<Error | undefined> {
  try {
    await exposed;
    return undefined;
  } catch (thrown) {
    return toError(thrown);
  }
}
