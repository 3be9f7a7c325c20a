// Which name belongs to which tool, while plugins come, go and change. Each has its full name, `plugin__tool`, and the one that clients call it
// by; neither depends on what else is there.
import { isHashed, safeName } from '../../base/safe-name.ts';
import { fullName, readingsOf } from '../../definition/full-name.ts';

export interface Named<Item> {
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
