// All that is exposed, by the names under which it is called.
import { shortened } from '../../base/shown.ts';
import type { CommandProfile } from '../../definition/backend.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Collision } from './contract.ts';
import type { LivePlugin } from './live-plugin.ts';
import { Names, type Named, type NameStrategy, type Owner } from './names.ts';
import type { PluginOrigin, ResolvedCommand, ResolvedTool } from './resolved.ts';

export interface ExposedPlugin {
  readonly name: string;
  /** Of two, the smaller one was known first. */
  readonly order: number;
  readonly origin: PluginOrigin;
  readonly live: LivePlugin;
  /** Its tools that are switched off, by its own names. */
  readonly disabled: ReadonlySet<string>;
  /** Whether its word counts that a tool needs no question. */
  readonly isTrustedToApprove: boolean;
}

interface Shown extends ExposedPlugin {
  readonly owner: Owner;
  autoApproved: ReadonlySet<string>;
}

export class ExposedPlugins {
  readonly #plugins = new Map<string, Shown>();
  readonly #tools: Names<Tool>;
  readonly #commands: Names<CommandProfile>;

  constructor(strategy: NameStrategy) {
    this.#tools = new Names(strategy);
    this.#commands = new Names(strategy);
  }

  put(plugin: ExposedPlugin): void {
    const { name, order } = plugin;
    const owner = { plugin: name, order, prefix: prefixOf(plugin) };
    this.#plugins.set(name, { ...plugin, owner, autoApproved: new Set() });
    this.refresh(name);
  }

  /** To be told when its profile has changed. */
  refresh(name: string): void {
    const shown = this.#plugins.get(name);
    if (shown === undefined) return;
    const { tools, commands, autoApprove } = shown.live.profile;
    shown.autoApproved = new Set(shown.isTrustedToApprove ? autoApprove : []);
    this.#tools.replace(
      shown.owner,
      tools.map((tool) => ({ own: tool.name, item: tool })),
    );
    this.#commands.replace(
      shown.owner,
      commands.map((command) => ({ own: command.name, item: command })),
    );
  }

  drop(name: string): void {
    this.#plugins.delete(name);
    this.#tools.drop(name);
    this.#commands.drop(name);
  }

  /** What others have already of what this one would bring. */
  takenFrom(
    name: string,
    { profile }: LivePlugin,
  ): readonly { readonly name: string; readonly plugin: string }[] {
    const taken = [
      ...this.#tools.takenBy(
        name,
        profile.tools.map((tool) => tool.name),
      ),
      ...this.#commands.takenBy(
        name,
        profile.commands.map((command) => command.name),
      ),
    ];
    return taken.map(({ own, owner }) => ({ name: own, plugin: owner.plugin }));
  }

  resolveTool(name: string): ResolvedTool | undefined {
    const found = this.findTool(name);
    if (found === undefined || found.plugin.disabled.has(found.tool.name)) return undefined;
    const { plugin, tool } = found;
    const { live, origin } = plugin;
    const { talk } = live;
    return {
      kind: 'tool',
      name: found.name,
      plugin: plugin.name,
      origin,
      tool,
      isAutoApproved: plugin.autoApproved.has(tool.name),
      call: (args, options) => live.call(tool.name, args, options),
      ...(talk !== undefined && { talk: (args, options) => talk(tool.name, args, options) }),
      ...(live.describe !== undefined && { describe: async (args) => live.describe?.(tool.name, args) }),
    };
  }

  /** Also one that is switched off. Its name is the one that counts, however it was asked for. */
  findTool(name: string): { readonly name: string; readonly plugin: Shown; readonly tool: Tool } | undefined {
    const named = this.#tools.find(name);
    if (named !== undefined) return this.#found(named);
    for (const { plugin, own } of this.#splits(name)) {
      const listed = this.#tools.findOwn(plugin.name, own);
      if (listed?.name !== undefined) return this.#found(listed);
      const unlisted = listed === undefined ? plugin.live.findUnlisted?.(own) : undefined;
      if (unlisted !== undefined) return { name: plugin.owner.prefix + own, plugin, tool: unlisted };
    }
    return undefined;
  }

  resolveCommand(name: string): ResolvedCommand | undefined {
    const named = this.#commands.find(name) ?? this.#commandByFullName(name);
    const plugin = named && this.#plugins.get(named.owner.plugin);
    if (named?.name === undefined || plugin === undefined) return undefined;
    const { live, origin } = plugin;
    return {
      kind: 'command',
      name: named.name,
      plugin: plugin.name,
      origin,
      command: named.item,
      call: (args, options) => live.run(named.own, args, options),
      complete: (parameter, typed) => live.complete(named.own, parameter, typed),
    };
  }

  /** In the order in which their plugins were known, and without those that are switched off. */
  tools(): readonly Tool[] {
    const all: Tool[] = [];
    for (const plugin of this.#inOrder())
      for (const { name, own, item } of this.#tools.of(plugin.name))
        if (name !== undefined && !plugin.disabled.has(own))
          all.push(name === own ? item : { ...item, name });
    return all;
  }

  commands(): readonly CommandProfile[] {
    const all: CommandProfile[] = [];
    for (const plugin of this.#inOrder())
      for (const { name, own, item } of this.#commands.of(plugin.name))
        if (name !== undefined) all.push(name === own ? item : { ...item, name });
    return all;
  }

  autoApproved(): readonly string[] {
    const all: string[] = [];
    for (const plugin of this.#inOrder())
      for (const { name, own } of this.#tools.of(plugin.name))
        if (name !== undefined && plugin.autoApproved.has(own) && !plugin.disabled.has(own)) all.push(name);
    return all;
  }

  instructions(): string | undefined {
    const texts = this.#inOrder().flatMap(({ name, live, origin }) => {
      const { instructions = '' } = live.profile;
      if (instructions.trim() === '') return [];
      // A process may say any amount, and a model reads all of it in every turn.
      const told = origin === 'process' ? shortened(instructions, INSTRUCTIONS_MAX) : instructions;
      return [`# ${name}\n\n${told}`];
    });
    return texts.length === 0 ? undefined : texts.join('\n\n');
  }

  collisions(): readonly Collision[] {
    return [...collisionsIn(this.#tools), ...collisionsIn(this.#commands)];
  }

  names(kind: 'tool' | 'command'): Iterable<string> {
    return (kind === 'tool' ? this.#tools : this.#commands).all();
  }

  /** All who have one that they call so. */
  wanting(kind: 'tool' | 'command', name: string): readonly Named<Tool | CommandProfile>[] {
    return (kind === 'tool' ? this.#tools : this.#commands).wanting(name);
  }

  #found(named: Named<Tool>) {
    const plugin = this.#plugins.get(named.owner.plugin);
    return plugin === undefined || named.name === undefined
      ? undefined
      : { name: named.name, plugin, tool: named.item };
  }

  #commandByFullName(name: string): Named<CommandProfile> | undefined {
    for (const { plugin, own } of this.#splits(name)) {
      const found = this.#commands.findOwn(plugin.name, own);
      if (found?.name !== undefined) return found;
    }
    return undefined;
  }

  /** Every way to read it as `plugin__tool`: of `a` and `a__b` the longer one is meant by `a__b__c`, when it has it. */
  *#splits(name: string): Iterable<{ readonly plugin: Shown; readonly own: string }> {
    if (name.length > NAME_MAX) return;
    for (const full of name.startsWith(SERVER) ? [name.slice(SERVER.length), name] : [name])
      for (let at = full.lastIndexOf('__'); at > 0; at = full.lastIndexOf('__', at - 1)) {
        const plugin = this.#plugins.get(full.slice(0, at));
        if (plugin !== undefined) yield { plugin, own: full.slice(at + 2) };
      }
  }

  #inOrder(): Shown[] {
    return [...this.#plugins.values()].sort((one, other) => one.order - other.order);
  }
}

/** In characters, for each plugin with a process of its own. */
const INSTRUCTIONS_MAX = 64 * 1024;

/** Longer ones are nobody's. */
const NAME_MAX = 512;

/** As clients of MCP write the tools of servers. */
const SERVER = 'mcp__';

function prefixOf({ name, live }: ExposedPlugin): string {
  return `${live.process?.manifest?.dialect === 'mcp' ? SERVER : ''}${name}__`;
}

function collisionsIn<Item>(names: Names<Item>): Collision[] {
  return names.shared.map((name) => {
    const wanting = names.wanting(name);
    return {
      name,
      plugins: [...new Set(wanting.map(({ owner }) => owner.plugin))],
      resolved: Object.fromEntries(wanting.map((one) => [one.owner.plugin, one.name])),
    };
  });
}
