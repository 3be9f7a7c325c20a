// The part of the fleet that comes from configuration files. Files change while a host lives; plugins that run go on as they were started.
import { isDeepStrictEqual } from 'node:util';
import { PluglotError } from '../base/error.ts';
import { oneByOne } from '../base/async.ts';
import { sentences } from '../base/text.ts';
import type { PluginSpec } from '../definition/plugin-spec.ts';
import { type Discovery, type Found, refusalOf } from '../fleet/discovery/discover.ts';
import { withManifestBeside } from '../fleet/discovery/manifest-folders.ts';
import { describeProblem, type Problem } from '../fleet/discovery/problem.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Plugin } from '../fleet/plugin/plugin.ts';
import type { PluginStatus } from '../fleet/plugin/instances.ts';

export interface ProjectParts {
  readonly fleet: Fleet;
  /** By plugin: the trust check of the files that its spec was read from. */
  readonly checks: Map<string, Discovery['checkAgain']>;
  /** Plugins that the program itself has added: files do not change them. */
  readonly isOwn?: (name: string) => boolean;
}

export class Project {
  readonly #fleet: Fleet;
  readonly #checks: ProjectParts['checks'];
  readonly #isOwn: (name: string) => boolean;
  readonly #inTurn = oneByOne();
  #discovery: Discovery | undefined;
  /** Of all that may be started. */
  #specs: ReadonlyMap<string, PluginSpec> = new Map();

  constructor({ fleet, checks, isOwn = () => false }: ProjectParts) {
    this.#fleet = fleet;
    this.#checks = checks;
    this.#isOwn = isOwn;
  }

  /** Adds new and newly trusted plugins to the fleet, and returns them; removes those that are gone, unless they are at work. */
  sync(discovery: Discovery): Promise<readonly Plugin[]> {
    return this.#inTurn(async () => {
      this.#specs = await this.#specsOf(discovery);
      this.#discovery = discovery;
      const idle = this.#fleet.plugins.filter(({ status }) => !isAtWork(status));
      const gone = idle.filter(({ name }) => this.isGone(name));
      await Promise.all(gone.map(({ name }) => this.#fleet.remove(name)));
      const present = new Set(this.#fleet.plugins.map(({ name }) => name));
      for (const { name, spec } of this.#fleet.plugins)
        if (isDeepStrictEqual(this.#specs.get(name), spec)) this.#checks.set(name, discovery.checkAgain);
      return [...this.#specs.values()]
        .filter(({ name }) => !present.has(name))
        .map((spec) => this.#put(spec));
    });
  }

  /** Whether the files now say something else of it, with which it may be started. */
  isChanged({ name, spec }: Plugin): boolean {
    return this.#specs.has(name) && !isDeepStrictEqual(this.#specs.get(name), spec);
  }

  /** Whether the files do not want it to run any more. */
  isGone(name: string): boolean {
    if (this.#discovery === undefined || this.#isOwn(name)) return false;
    const found = this.#foundOf(name);
    return found === undefined ? this.#unreadOf(name) === undefined : found.disabled !== undefined;
  }

  /** How the files differ from what it was started with, and how to apply that. */
  changeOf({ name, spec }: Plugin): string | undefined {
    if (this.#discovery === undefined || this.#isOwn(name)) return undefined;
    const found = this.#foundOf(name);
    const stop = `\`pluglot stop ${name}\` ends it.`;
    const unread = found === undefined ? this.#unreadOf(name) : undefined;
    if (unread !== undefined) return `Its configuration cannot be read: ${describeProblem(unread)}`;
    if (found === undefined) return `It is not configured any more. ${stop}`;
    if (found.disabled !== undefined) return `It is disabled now. ${stop}`;
    if (!found.trust.trusted)
      return `It is not started again: ${sentences(found.trust.reason, found.trust.wayOut)}`;
    if (isDeepStrictEqual(this.#specs.get(name), spec)) return undefined;
    return `Its configuration has changed since it was started. \`pluglot restart ${name}\` applies that.`;
  }

  /**
   * Replaces it by what the files say now; false when nothing has changed.
   * @throws PluglotError NOT_TRUSTED, CONFIG_INVALID or UNKNOWN_PLUGIN when it may not be run; it stays as it was
   */
  renew(name: string): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#discovery === undefined || this.#isOwn(name)) return false;
      const spec = this.#specs.get(name);
      if (spec === undefined) throw this.#refusalFor(name);
      if (isDeepStrictEqual(spec, this.#fleet.plugin(name).spec)) return false;
      await this.#fleet.remove(name);
      this.#put(spec);
      return true;
    });
  }

  #put(spec: PluginSpec): Plugin {
    if (this.#discovery !== undefined) this.#checks.set(spec.name, this.#discovery.checkAgain);
    return this.#fleet.add(spec);
  }

  #foundOf(name: string): Found | undefined {
    return this.#discovery?.plugins.find(({ spec }) => spec.name === name);
  }

  /** A file that cannot be read may be the one that has the plugin. */
  #unreadOf(name: string): Problem | undefined {
    const errors = this.#discovery?.problems.filter(({ severity }) => severity === 'error') ?? [];
    return errors.find(({ plugin }) => plugin === name) ?? errors[0];
  }

  #refusalFor(name: string): PluglotError {
    const found = this.#foundOf(name);
    const refusal = found && refusalOf(`Plugin "${name}"`, found);
    if (refusal !== undefined) return refusal;
    const unread = this.#unreadOf(name);
    if (unread !== undefined) return new PluglotError('CONFIG_INVALID', describeProblem(unread));
    return new PluglotError(
      'UNKNOWN_PLUGIN',
      `Plugin "${name}" is not configured any more. \`pluglot stop ${name}\` ends it.`,
    );
  }

  async #specsOf({ plugins }: Discovery): Promise<ReadonlyMap<string, PluginSpec>> {
    const usable = plugins.filter(
      (found) => refusalOf('', found) === undefined && !this.#isOwn(found.spec.name),
    );
    const specs = await Promise.all(usable.map(({ spec }) => withManifestBeside(spec)));
    return new Map(specs.map((spec) => [spec.name, spec]));
  }
}

/** It has calls or a conversation. */
export function isAtWork({ running, waiting, isTalking }: PluginStatus): boolean {
  return running + waiting > 0 || isTalking;
}
