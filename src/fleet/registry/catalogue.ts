// Which plugins are known, from what was registered and what was found; and why others are not to be had.
import { PluglotError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Problem } from '../discovery/problem.ts';
import type { Findings } from './findings.ts';
import { KnownPlugin } from './known-plugin.ts';
import type { PluginSource } from './live-plugin.ts';

export class Catalogue {
  /** In the order in which they became known. */
  readonly #known = new Map<string, KnownPlugin>();
  #blocked: ReadonlyMap<string, PluglotError> = new Map();
  #found: readonly Problem[] = [];
  /** What came up when they were exposed, by plugin. */
  readonly #own = new Map<string, Problem>();
  #order = 0;

  get all(): Iterable<KnownPlugin> {
    return this.#known.values();
  }

  get blocked(): ReadonlyMap<string, PluglotError> {
    return this.#blocked;
  }

  get problems(): readonly Problem[] {
    return [...this.#found, ...this.#own.values()];
  }

  get available(): readonly string[] {
    return [...this.#known.values()].filter(({ isGone }) => !isGone).map(({ name }) => name);
  }

  find(name: string): KnownPlugin | undefined {
    return this.#known.get(name);
  }

  /** @throws PluglotError UNKNOWN_PLUGIN, or NOT_TRUSTED when it was found and may not be used */
  get(name: string): KnownPlugin {
    const known = this.#known.get(name);
    if (known !== undefined && (!known.isGone || known.exposure !== undefined)) return known;
    throw this.#blocked.get(name) ?? unknownPlugin(name, this.available);
  }

  /** @throws PluglotError CONFIG_INVALID when the name is taken */
  register(name: string, source: PluginSource): void {
    if (this.#known.has(name))
      throw new PluglotError(
        'CONFIG_INVALID',
        `There is a plugin "${name}" already${placeOf(this.#known.get(name))}. Give one another name.`,
      );
    this.#add(name, source);
  }

  /** What was found now, instead of what was found before; what is exposed stays as it is until it is not. */
  settle({ sources, blocked, problems }: Findings): void {
    const found: Problem[] = [...problems];
    for (const known of this.#known.values()) if (known.foundIn !== undefined) known.isGone = true;
    for (const [name, { source, file }] of sources) {
      const known = this.#known.get(name);
      if (known === undefined) this.#add(name, source, file);
      else if (known.foundIn === undefined) found.push(taken(name, file));
      else Object.assign(known, { source, foundIn: file, isGone: false });
    }
    for (const known of this.#known.values()) this.forgetIfGone(known);
    for (const name of this.#own.keys()) if (!this.#known.has(name)) this.#own.delete(name);
    this.#blocked = blocked;
    this.#found = found;
  }

  forgetIfGone(known: KnownPlugin): void {
    if (known.isGone && known.exposure === undefined && !known.isBusy) this.#known.delete(known.name);
  }

  /** Undefined: all is well with it now. */
  report(known: KnownPlugin, reason: string | undefined): void {
    const { name, foundIn } = known;
    if (reason === undefined || foundIn === undefined) this.#own.delete(name);
    else
      this.#own.set(name, {
        file: foundIn,
        severity: 'error',
        reason,
        wayOut: 'Fix it; the other plugins are not affected.',
        plugin: name,
      });
  }

  #add(name: string, source: PluginSource, foundIn?: string): void {
    this.#known.set(name, new KnownPlugin(name, (this.#order += 1), source, foundIn));
  }
}

function unknownPlugin(name: string, available: readonly string[]): PluglotError {
  const listed = available.slice(0, LISTED_MAX).join(', ') + (available.length > LISTED_MAX ? ', …' : '');
  const there = available.length === 0 ? ' None is available.' : ` Available: ${listed}.`;
  return new PluglotError(
    'UNKNOWN_PLUGIN',
    `There is no plugin "${name.slice(0, 100)}".${didYouMean(name, available)}${there}`,
  );
}

/** Nobody reads more. */
const LISTED_MAX = 50;

function placeOf(known: KnownPlugin | undefined): string {
  return known?.foundIn === undefined ? '' : `, from ${known.foundIn}`;
}

function taken(name: string, file: string): Problem {
  return {
    file,
    severity: 'warning',
    reason: `the name "${name}" is taken by a plugin that the host itself has registered, so this one is left out`,
    wayOut: 'Rename it.',
  };
}
