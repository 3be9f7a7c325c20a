// Which plugins are known, from what was registered and what was found, and why others cannot be used.
import { oneByOne } from '../../base/async.ts';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/names.ts';
import type { Manifest } from '../../definition/manifest.ts';
import { type Discovery, type Found, refusalOf } from '../discovery/discover.ts';
import type { Problem } from '../discovery/problem.ts';
import type { Fleet } from '../fleet.ts';
import type { ExposureFailure, RegisteredPlugin } from './contract.ts';
import type { InProcessHost } from './in-process-calls.ts';
import type { LivePlugin, PluginSource } from './live-plugin.ts';
import { type LoadModule, moduleSource, processSource } from './plugin-sources.ts';

export class Catalogue {
  /** In the order in which they became known. */
  readonly #known = new Map<string, KnownPlugin>();
  #blocked: ReadonlyMap<string, PluglotError> = new Map();
  #found: readonly Problem[] = [];
  /** Problems of exposing them, by plugin. */
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

  /** Plugins that were found and are not trusted. */
  get untrusted(): readonly ExposureFailure[] {
    return [...this.#blocked].flatMap(([plugin, error]) =>
      error.code === 'NOT_TRUSTED' ? [{ plugin, error }] : [],
    );
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

export interface Exposure {
  readonly live: LivePlugin;
  readonly config: JsonObject;
  readonly origin: PluginSource['origin'];
  readonly isForClients: boolean;
  endFollowing(): void;
}

export class KnownPlugin {
  readonly name: string;
  readonly order: number;
  /** How it is exposed the next time. */
  source: PluginSource;
  /** The file it was found by; undefined: it was registered. */
  foundIn: string | undefined;
  /** It is not there any more, and goes when it is not exposed any more. */
  isGone = false;
  exposure: Exposure | undefined;
  failure: PluglotError | undefined;
  /** Why calls fail since the user has stopped it, until it is exposed again. */
  stopped: PluglotError | undefined;
  /** Its tools that are switched off, by its own names. */
  readonly disabled = new Set<string>();
  /** For others: what they see changes with it. */
  readonly view: RegisteredPlugin;
  #lastManifest: Manifest | undefined;
  readonly #inTurn = oneByOne();
  #waiting = 0;

  constructor(name: string, order: number, source: PluginSource, foundIn?: string) {
    this.name = name;
    this.order = order;
    this.source = source;
    this.foundIn = foundIn;
    this.view = viewOf(this);
  }

  get manifest(): Manifest | undefined {
    return this.exposure?.live.manifest ?? this.#lastManifest ?? this.source.manifest;
  }

  /** Resolves or rejects as the work does, once all is done that was asked for before. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    return this.#inTurn(work).finally(() => (this.#waiting -= 1));
  }

  /** Something is being done to it, or about to be. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /** What it has been exposed as, until now. */
  takeExposure(): Exposure | undefined {
    const { exposure } = this;
    this.#lastManifest = exposure?.live.manifest ?? this.#lastManifest;
    this.exposure = undefined;
    exposure?.endFollowing();
    return exposure;
  }
}

function viewOf(known: KnownPlugin): RegisteredPlugin {
  return {
    name: known.name,
    get origin() {
      return known.exposure?.origin ?? known.source.origin;
    },
    get isExposed() {
      return known.exposure !== undefined;
    },
    get isForClients() {
      return known.exposure?.isForClients ?? known.source.clients !== false;
    },
    get manifest() {
      return known.manifest;
    },
    get failure() {
      return known.exposure?.live.failure ?? known.failure;
    },
    get stopped() {
      return known.stopped;
    },
    get process() {
      return known.exposure?.live.process;
    },
  };
}

interface Findings {
  /** By name, in the order in which they were found. */
  readonly sources: ReadonlyMap<string, { readonly source: PluginSource; readonly file: string }>;
  /** Why others may not be used. */
  readonly blocked: ReadonlyMap<string, PluglotError>;
  readonly problems: readonly Problem[];
}

export interface FindingParts {
  readonly fleet: Fleet;
  readonly host: InProcessHost;
  readonly load: LoadModule;
}

export function findingsOf(discovery: Discovery, { fleet, host, load }: FindingParts): Findings {
  const { checkAgain } = discovery;
  const sources = new Map<string, { source: PluginSource; file: string }>();
  const blocked = new Map<string, PluglotError>();
  const problems: Problem[] = [...discovery.problems];
  const take = (name: string, found: Omit<Found, 'spec'>, source: () => PluginSource) => {
    const { origin, trust, disabled } = found;
    const refusal = refusalOf(`Plugin "${name}"`, found);
    if (refusal === undefined) sources.set(name, { source: source(), file: origin.file });
    else blocked.set(name, refusal);
    // A plugin that is switched off is not a problem.
    if (disabled !== undefined || trust.trusted) return;
    const { reason, wayOut } = trust;
    const line = origin.line === undefined ? {} : { line: origin.line };
    problems.push({
      file: origin.file,
      ...line,
      severity: 'error',
      reason: `plugin "${name}" may not be run: ${reason}`,
      wayOut,
      plugin: name,
    });
  };
  const plugins = new Map(discovery.plugins.map((found) => [found.spec.name, found]));
  const modules = new Map(discovery.modules.map((found) => [found.module.name, found]));
  for (const name of discovery.names) {
    const plugin = plugins.get(name);
    if (plugin !== undefined) take(name, plugin, () => processSource(plugin, fleet, checkAgain));
    const module = modules.get(name);
    if (module !== undefined) take(name, module, () => moduleSource(module, { host, load, checkAgain }));
  }
  return { sources, blocked, problems };
}
