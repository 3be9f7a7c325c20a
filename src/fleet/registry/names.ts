// Which name belongs to which tool, while plugins come, go and change: only names that somebody new or gone has a word in are looked at.

/**
 * What becomes of a name that several plugins want. `prefix`: each is called `plugin__tool`. `always-prefix`: all are called so anyway.
 * `priority`: the plugin that was known first has it, the others are left out. `error`: who comes later is refused.
 */
export type NameStrategy = 'prefix' | 'always-prefix' | 'priority' | 'error';

export interface Owner {
  readonly plugin: string;
  /** Of two, the smaller one was known first. */
  readonly order: number;
  /** What full names begin with. */
  readonly prefix: string;
}

export interface Named<Item> {
  readonly owner: Owner;
  /** As its plugin calls it. */
  readonly own: string;
  readonly full: string;
  readonly item: Item;
  /** As it is exposed; undefined: it is left out. */
  readonly name: string | undefined;
}

interface Entry<Item> extends Named<Item> {
  name: string | undefined;
  /** Of two plugins' entries, the smaller one came first. */
  readonly arrived: number;
  /** Among those of its plugin. */
  readonly place: number;
}

/** All who want a name. */
interface Claim<Item> {
  readonly entries: Set<Entry<Item>>;
  /** How many entries each plugin has here. */
  readonly plugins: Map<string, number>;
  holder: Entry<Item> | undefined;
}

export class Names<Item> {
  readonly #strategy: NameStrategy;
  readonly #owned = new Map<string, Map<string, Entry<Item>>>();
  readonly #claims = new Map<string, Claim<Item>>();
  readonly #shared = new Set<string>();
  #arrivals = 0;

  constructor(strategy: NameStrategy) {
    this.#strategy = strategy;
  }

  /** By the exposed name. */
  find(name: string): Named<Item> | undefined {
    return this.#claims.get(name)?.holder;
  }

  /** By the name that its plugin gives it, whether or not it is exposed. */
  findOwn(plugin: string, own: string): Named<Item> | undefined {
    return this.#owned.get(plugin)?.get(own);
  }

  /** In the order of the plugin. */
  *of(plugin: string): Iterable<Named<Item>> {
    yield* this.#owned.get(plugin)?.values() ?? [];
  }

  /** Exposed ones. */
  *all(): Iterable<string> {
    for (const [name, { holder }] of this.#claims) if (holder !== undefined) yield name;
  }

  /** All who want it, the first that was known first. */
  wanting(name: string): readonly Named<Item>[] {
    return [...(this.#claims.get(name)?.entries ?? [])].toSorted(
      (one, other) => one.owner.order - other.owner.order,
    );
  }

  /** Names that several plugins want. */
  get shared(): readonly string[] {
    return [...this.#shared].toSorted();
  }

  /** Those of the names that another plugin has already. */
  takenBy(plugin: string, names: readonly string[]): readonly Named<Item>[] {
    return names.flatMap((name) => {
      const holder = this.find(name);
      return holder === undefined || holder.owner.plugin === plugin ? [] : [holder];
    });
  }

  /** What the plugin has from now on, instead of what it had. Of two with the same name the first counts. */
  replace(owner: Owner, items: readonly { readonly own: string; readonly item: Item }[]): void {
    const before = this.#owned.get(owner.plugin) ?? new Map<string, Entry<Item>>();
    this.drop(owner.plugin);
    const owned = new Map<string, Entry<Item>>();
    this.#owned.set(owner.plugin, owned);
    for (const { own, item } of items) {
      if (owned.has(own)) continue;
      const arrived = before.get(own)?.arrived ?? (this.#arrivals += 1);
      const entry: Entry<Item> = {
        owner,
        own,
        full: owner.prefix + own,
        item,
        name: undefined,
        arrived,
        place: owned.size,
      };
      owned.set(own, entry);
      this.#enter(entry);
    }
  }

  drop(plugin: string): void {
    for (const entry of this.#owned.get(plugin)?.values() ?? []) this.#leave(entry);
    this.#owned.delete(plugin);
  }

  #enter(entry: Entry<Item>): void {
    for (const name of this.#claimedBy(entry)) {
      const claim = this.#claims.get(name) ?? newClaim<Item>();
      this.#claims.set(name, claim);
      const before = claim.plugins.size;
      claim.entries.add(entry);
      claim.plugins.set(entry.owner.plugin, (claim.plugins.get(entry.owner.plugin) ?? 0) + 1);
      // Those who have come to share it are called otherwise now.
      if (before === 1 && claim.plugins.size === 2) this.#renameAll(name, claim);
    }
    this.#assign(entry);
  }

  #leave(entry: Entry<Item>): void {
    for (const name of this.#claimedBy(entry)) {
      const claim = this.#claims.get(name);
      if (claim === undefined) continue;
      claim.entries.delete(entry);
      const left = (claim.plugins.get(entry.owner.plugin) ?? 1) - 1;
      if (left > 0) claim.plugins.set(entry.owner.plugin, left);
      else claim.plugins.delete(entry.owner.plugin);
    }
    this.#release(entry);
    for (const name of this.#claimedBy(entry)) {
      const claim = this.#claims.get(name);
      if (claim?.entries.size === 0) this.#claims.delete(name);
      else if (claim?.plugins.size === 1 && this.#shared.has(name)) this.#renameAll(name, claim);
    }
  }

  /** Where nobody is prefixed full names are no names, and where all are, bare ones are none. */
  #claimedBy({ own, full }: Entry<Item>): ReadonlySet<string> {
    switch (this.#strategy) {
      case 'prefix':
        return new Set([own, full]);
      case 'always-prefix':
        return new Set([full]);
      case 'priority':
      case 'error':
        return new Set([own]);
    }
  }

  #renameAll(name: string, claim: Claim<Item>): void {
    if (claim.plugins.size > 1) this.#shared.add(name);
    else this.#shared.delete(name);
    if (this.#strategy !== 'prefix') return;
    for (const entry of claim.entries) if (entry.own === name) this.#assign(entry);
  }

  #assign(entry: Entry<Item>): void {
    const name = this.#wanted(entry);
    if (entry.name === name) return;
    this.#release(entry);
    const claim = this.#claims.get(name);
    if (claim === undefined) return;
    const { holder } = claim;
    if (holder !== undefined && !this.#isBefore(entry, holder)) return;
    if (holder !== undefined) holder.name = undefined;
    claim.holder = entry;
    entry.name = name;
  }

  /** Gives its name to whoever comes next. */
  #release(entry: Entry<Item>): void {
    const { name } = entry;
    entry.name = undefined;
    const claim = name === undefined ? undefined : this.#claims.get(name);
    if (claim === undefined || claim.holder !== entry) return;
    claim.holder = undefined;
    for (const other of claim.entries) {
      // One that has another name, and is about to get this one, takes it when it is renamed.
      if (other.name !== undefined || other === entry || this.#wanted(other) !== name) continue;
      if (claim.holder === undefined || this.#isBefore(other, claim.holder)) claim.holder = other;
    }
    if (claim.holder !== undefined) claim.holder.name = name;
  }

  #wanted({ own, full }: Entry<Item>): string {
    switch (this.#strategy) {
      case 'prefix':
        return (this.#claims.get(own)?.plugins.size ?? 0) > 1 ? full : own;
      case 'always-prefix':
        return full;
      case 'priority':
      case 'error':
        return own;
    }
  }

  /** Nobody loses a name to a newcomer where newcomers are refused. */
  #isBefore(one: Entry<Item>, other: Entry<Item>): boolean {
    if (one.owner.plugin === other.owner.plugin) return one.place < other.place;
    if (this.#strategy === 'error') return one.arrived < other.arrived;
    return one.owner.order < other.owner.order;
  }
}

function newClaim<Item>(): Claim<Item> {
  return { entries: new Set(), plugins: new Map(), holder: undefined };
}
