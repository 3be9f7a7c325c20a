// All that is exposed, by the names under which it is called.
import { isHashed, safeName } from '../../base/names.ts';
import { shortened } from '../../base/text.ts';
import type { CommandManifest } from '../../definition/manifest.ts';
import { fullName, readingsOf } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import type { PluginOrigin, ResolvedCommand, ResolvedTool } from './contract.ts';
import type { LivePlugin } from './live-plugin.ts';

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
  readonly isForClients: boolean;
}

interface Shown extends ExposedPlugin {
  autoApproved: ReadonlySet<string>;
}

interface FoundTool extends Pick<ResolvedTool, 'name' | 'clientName' | 'isUnique' | 'tool'> {
  readonly plugin: Shown;
}

export class ExposedPlugins {
  readonly #plugins = new Map<string, Shown>();
  readonly #tools = new Names<Tool>();
  readonly #commands = new Names<CommandManifest>();

  put(plugin: ExposedPlugin): void {
    this.#plugins.set(plugin.name, { ...plugin, autoApproved: new Set() });
    this.refresh(plugin.name);
  }

  /** To be called when its manifest has changed. */
  refresh(name: string): void {
    const shown = this.#plugins.get(name);
    if (shown === undefined) return;
    const { tools, commands = [] } = shown.live.manifest;
    const approved = tools.filter(({ autoApprove }) => shown.isTrustedToApprove && autoApprove === true);
    shown.autoApproved = new Set(approved.map((tool) => tool.name));
    const owner = { plugin: name, order: shown.order };
    this.#tools.replace(
      owner,
      tools.map((tool) => ({ own: tool.name, item: tool })),
    );
    this.#commands.replace(
      owner,
      commands.map((command) => ({ own: command.name, item: command })),
    );
  }

  drop(name: string): void {
    this.#plugins.delete(name);
    this.#tools.drop(name);
    this.#commands.drop(name);
  }

  resolveTool(name: string): ResolvedTool | undefined {
    const found = this.findTool(name);
    return found && this.#resolved(found);
  }

  toolsOf(plugin: string): readonly ResolvedTool[] {
    const shown = this.#plugins.get(plugin);
    if (shown === undefined) return [];
    return [...this.#tools.of(plugin)].flatMap((named) => this.#resolved(this.#found(named, shown)) ?? []);
  }

  /** Also one that is switched off, and one that its dialect does not list. */
  findTool(name: string): FoundTool | undefined {
    const named = this.#tools.find(name);
    const plugin = named && this.#plugins.get(named.plugin);
    if (named !== undefined && plugin !== undefined) return this.#found(named, plugin);
    return name.length > NAME_MAX ? undefined : this.#findUnlisted(name);
  }

  resolveCommand(name: string): ResolvedCommand | undefined {
    const named = this.#commands.find(name);
    const plugin = named && this.#plugins.get(named.plugin);
    if (named === undefined || plugin === undefined) return undefined;
    const { live, origin, isForClients } = plugin;
    return {
      kind: 'command',
      name: named.name,
      clientName: named.clientName,
      isUnique: this.#commands.isUnique(named),
      plugin: plugin.name,
      origin,
      isForClients,
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
        if (!plugin.disabled.has(own)) all.push({ ...item, name });
    return all;
  }

  commands(): readonly CommandManifest[] {
    const all: CommandManifest[] = [];
    for (const plugin of this.#inOrder())
      for (const { name, item } of this.#commands.of(plugin.name)) all.push({ ...item, name });
    return all;
  }

  autoApproved(): readonly string[] {
    const all: string[] = [];
    for (const plugin of this.#inOrder())
      for (const { name, own } of this.#tools.of(plugin.name))
        if (plugin.autoApproved.has(own) && !plugin.disabled.has(own)) all.push(name);
    return all;
  }

  instructions(): string | undefined {
    const texts = this.#inOrder().flatMap(({ name, live, origin }) => {
      const { instructions = '' } = live.manifest;
      if (instructions.trim() === '') return [];
      // A process may say any amount, and a model reads all of it in every turn.
      const text = origin === 'process' ? shortened(instructions, INSTRUCTIONS_MAX) : instructions;
      return [`# ${name}\n\n${text}`];
    });
    return texts.length === 0 ? undefined : texts.join('\n\n');
  }

  names(kind: 'tool' | 'command'): Iterable<string> {
    return (kind === 'tool' ? this.#tools : this.#commands).all();
  }

  /** All that their plugins call so. */
  having(kind: 'tool' | 'command', own: string): readonly Named<Tool | CommandManifest>[] {
    return (kind === 'tool' ? this.#tools : this.#commands).having(own);
  }

  #found(named: Named<Tool>, plugin: Shown): FoundTool {
    const { name, clientName, item: tool } = named;
    return { name, clientName, isUnique: this.#tools.isUnique(named), plugin, tool };
  }

  /** Undefined where it is switched off. */
  #resolved({ plugin, tool, name, clientName, isUnique }: FoundTool): ResolvedTool | undefined {
    if (plugin.disabled.has(tool.name)) return undefined;
    const { live, origin, isForClients } = plugin;
    const { talk } = live;
    return {
      kind: 'tool',
      name,
      clientName,
      isUnique,
      plugin: plugin.name,
      origin,
      isForClients,
      tool,
      isAutoApproved: plugin.autoApproved.has(tool.name),
      ...((live.process?.spec.sandbox ?? false) !== false && { isConfined: true }),
      call: (args, options) => live.call(tool.name, args, options),
      ...(talk !== undefined && { talk: (args, options) => talk(tool.name, args, options) }),
      ...(live.describe !== undefined && { describe: async (args) => live.describe?.(tool.name, args) }),
    };
  }

  /** By its full name: some dialects have tools that no list names. */
  #findUnlisted(name: string): FoundTool | undefined {
    for (const { plugin: owner, own } of readingsOf(name)) {
      const plugin = this.#plugins.get(owner);
      const tool = plugin?.live.findUnlisted?.(own);
      if (plugin === undefined || tool === undefined) continue;
      const full = fullName(owner, own);
      return { name: full, clientName: safeName(full), isUnique: false, plugin, tool };
    }
    return undefined;
  }

  #inOrder(): Shown[] {
    return [...this.#plugins.values()].sort((one, other) => one.order - other.order);
  }
}

/** In characters, for each plugin with a process of its own. */
const INSTRUCTIONS_MAX = 64 * 1024;

/** No tool has a longer name. */
const NAME_MAX = 512;

interface Named<Item> {
  readonly plugin: string;
  /** Of the plugin: of two, the smaller one was known first. */
  readonly order: number;
  /** As its plugin calls it. */
  readonly own: string;
  /** `plugin__tool`. */
  readonly name: string;
  /** The same where MCP clients and models take it, else one that they take. */
  readonly clientName: string;
  readonly item: Item;
}

export class Names<Item> {
  readonly #byPlugin = new Map<string, ReadonlyMap<string, Named<Item>>>();
  readonly #byClientName = new Map<string, Named<Item>>();
  readonly #byOwnName = new Map<string, Set<Named<Item>>>();

  /** By the full name or that of clients, by `mcp__server__tool`, or by its own name where no other plugin has one of that name. */
  find(name: string): Named<Item> | undefined {
    return this.#byClientName.get(name) ?? this.#byFullName(name) ?? this.#byUniqueName(name);
  }

  /** By the name that its plugin gives it. */
  findOwn(plugin: string, own: string): Named<Item> | undefined {
    return this.#byPlugin.get(plugin)?.get(own);
  }

  /** In the order of the plugin. */
  *of(plugin: string): Iterable<Named<Item>> {
    yield* this.#byPlugin.get(plugin)?.values() ?? [];
  }

  /** Full ones. */
  *all(): Iterable<string> {
    for (const named of this.#byPlugin.values()) for (const { name } of named.values()) yield name;
  }

  /** All that their plugins call so, the first that was known first. */
  having(own: string): readonly Named<Item>[] {
    return [...(this.#byOwnName.get(own) ?? [])].toSorted((one, other) => one.order - other.order);
  }

  /** Whether it can be called by its own name. */
  isUnique({ own }: Named<Item>): boolean {
    return this.#byOwnName.get(own)?.size === 1;
  }

  /** What the plugin has from now on, instead of what it had. Of two with the same name the first counts. */
  replace(
    { plugin, order }: { readonly plugin: string; readonly order: number },
    items: readonly { readonly own: string; readonly item: Item }[],
  ): void {
    this.drop(plugin);
    const named = new Map<string, Named<Item>>();
    this.#byPlugin.set(plugin, named);
    for (const { own, item } of items) {
      if (named.has(own)) continue;
      const name = fullName(plugin, own);
      const clientName = safeName(name);
      // Two with the same hash: the one that is there keeps the name.
      if (this.#byClientName.has(clientName)) continue;
      const one: Named<Item> = { plugin, order, own, name, clientName, item };
      named.set(own, one);
      this.#byClientName.set(clientName, one);
      const alike = this.#byOwnName.get(own);
      if (alike === undefined) this.#byOwnName.set(own, new Set([one]));
      else alike.add(one);
    }
  }

  drop(plugin: string): void {
    for (const one of this.of(plugin)) {
      this.#byClientName.delete(one.clientName);
      const alike = this.#byOwnName.get(one.own);
      alike?.delete(one);
      if (alike?.size === 0) this.#byOwnName.delete(one.own);
    }
    this.#byPlugin.delete(plugin);
  }

  #byFullName(name: string): Named<Item> | undefined {
    for (const { plugin, own } of readingsOf(name)) {
      const found = this.findOwn(plugin, own);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** What reads as the name of a plugin and a tool, or as one that was mapped for clients, is never that of another plugin's tool. */
  #byUniqueName(name: string): Named<Item> | undefined {
    const isFree = readingsOf(name).length === 0 && !isHashed(name);
    const alike = isFree ? this.#byOwnName.get(name) : undefined;
    const [only] = alike?.size === 1 ? alike : [];
    return only;
  }
}
