// Starts, stops and restarts the plugins of a host, and keeps its fleet as the configuration files say.
import { PluglotError, toError } from '../base/error.ts';
import { didYouMean } from '../base/names.ts';
import { describeProblem } from '../fleet/discovery/problem.ts';
import type { Discovery } from '../fleet/discovery/discover.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Plugin } from '../fleet/plugin/plugin.ts';
import type { Registry } from '../fleet/registry/registry.ts';
import { stoppedByUser } from '../fleet/registry/resolve.ts';
import { exampleHint } from './bundled.ts';
import { isAtWork, type Project } from './project.ts';

export interface LifecycleParts {
  readonly fleet: Fleet;
  readonly registry: Registry;
  readonly project: Project;
  /** The content of the files at the last look. */
  readonly found: () => Discovery | undefined;
  readonly reloadGate: () => Promise<unknown>;
  /** Whether files are read again after the first time. */
  readonly followsFiles: boolean;
}

/** What a look at the files has changed. */
export interface FileChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly restarted: readonly string[];
  /** At work: these follow when they are idle. */
  readonly waiting: readonly string[];
}

export interface StartAllOptions {
  /** Called for every plugin that cannot be exposed, then and later. */
  readonly onFailure?: (plugin: string, error: Error) => void;
}

export class Lifecycle {
  readonly #parts: LifecycleParts;
  #hasLooked = false;
  /** All plugins are meant to run: those that files add are started. */
  #startsAll = false;
  #unfollow: (() => void) | undefined;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
  }

  /** Reads the configuration: new plugins come into the fleet, those that are gone leave it. */
  async look(): Promise<void> {
    const { registry, project, found, reloadGate, followsFiles } = this.#parts;
    if (this.#hasLooked && !followsFiles) return;
    await registry.discover();
    const discovery = found();
    if (discovery === undefined) return;
    const added = await project.sync(discovery);
    if (this.#hasLooked) await reloadGate();
    this.#hasLooked = true;
    if (this.#startsAll) for (const plugin of added) this.#begin(plugin);
  }

  /** The same, once the configuration has been read: a host that only registers plugins in code reads none. */
  async lookAgain(): Promise<void> {
    if (this.#hasLooked) await this.look();
  }

  /** The same, and idle plugins whose configuration changed are restarted with it. */
  async followFiles(): Promise<FileChanges> {
    const { fleet, project, registry } = this.#parts;
    const before = namesOf(fleet.plugins);
    await this.look();
    const after = namesOf(fleet.plugins);
    const changed = fleet.plugins.filter((plugin) => project.isChanged(plugin));
    const idle = changed.filter(({ status }) => !isAtWork(status));
    await Promise.all(
      idle.map(async ({ name }) => {
        await project.renew(name);
        const renewed = this.#find(name);
        const isStopped = registry.getPlugin(name)?.stopped !== undefined;
        if (renewed !== undefined && !isStopped && this.#startsAll) this.#begin(renewed);
      }),
    );
    const busy = changed.filter(({ status }) => isAtWork(status));
    const gone = fleet.plugins.filter(({ name }) => project.isGone(name));
    return {
      added: after.filter((name) => !before.includes(name)),
      removed: before.filter((name) => !after.includes(name)),
      restarted: namesOf(idle),
      waiting: namesOf([...busy, ...gone]),
    };
  }

  /** Starts all plugins, and exposes each whenever it is ready. Resolves when each is exposed or has failed. */
  async startAll({ onFailure = () => {} }: StartAllOptions = {}): Promise<void> {
    const { fleet, registry } = this.#parts;
    this.#startsAll = true;
    const underWay = new Set<Promise<unknown>>();
    const keep = (name: string, work: Promise<unknown>) => {
      const kept = work
        .catch((thrown: unknown) => onFailure(name, toError(thrown)))
        .finally(() => underWay.delete(kept));
      underWay.add(kept);
    };
    const expose = async (name: string) => {
      if (registry.getPlugin(name) !== undefined)
        await registry.exposeTool(name, undefined, { unlessStopped: true });
    };
    this.#unfollow ??= fleet.onEvent((event) => {
      const { kind, plugin } = event;
      if (kind === 'plugin-removed' && registry.isExposed(plugin))
        keep(plugin, registry.unexposeTool(plugin));
      else if (kind === 'state-changed' && event.state === 'ready' && event.previous !== 'busy')
        keep(plugin, expose(plugin));
    });
    for (const plugin of fleet.plugins) if (plugin.spec.lazy === true) this.#begin(plugin);
    const inProcess = registry
      .listAvailable()
      .filter((name) => registry.getPlugin(name)?.origin !== 'process');
    for (const name of inProcess) keep(name, expose(name));
    await fleet.start();
    await Promise.all(underWay);
  }

  /** @throws PluglotError UNKNOWN_PLUGIN, NOT_TRUSTED, or why it does not start */
  async start(name: string): Promise<void> {
    const { registry, project } = this.#parts;
    await this.lookAgain();
    await registry.wake(name);
    const present = this.#find(name);
    if (present === undefined) return this.#exposeKnown(name);
    // A plugin that runs goes on as it was started.
    const { state } = present.status;
    if (state === 'stopped' || state === 'failed' || state === 'backoff') await project.renew(name);
    await this.#find(name)?.start();
    await registry.exposeTool(name);
  }

  async stop(name: string): Promise<void> {
    const { registry } = this.#parts;
    await registry.unexposeTool(name, stoppedByUser(name));
    await this.#find(name)?.stop();
  }

  async restart(name: string): Promise<void> {
    const { registry, project } = this.#parts;
    await this.lookAgain();
    await registry.wake(name);
    if (this.#find(name) === undefined) {
      await registry.unexposeTool(name);
      return this.#exposeKnown(name);
    }
    const isNew = await project.renew(name);
    const plugin = this.#parts.fleet.plugin(name);
    await (isNew ? plugin.start() : plugin.restart());
    await registry.exposeTool(name);
  }

  /** It is exposed then, or stopped. @throws PluglotError why it cannot be asked; a plugin that has failed is not tried again */
  async ask(name: string): Promise<void> {
    const { registry } = this.#parts;
    if (registry.getPlugin(name) === undefined) await this.lookAgain();
    if (registry.getPlugin(name) === undefined) throw this.#unknown(name);
    await registry.ask(name);
  }

  /** Sets a plugin in this process up again, unless the user has stopped it. */
  async renewInProcess(name: string): Promise<void> {
    const { registry } = this.#parts;
    if (registry.getPlugin(name)?.stopped !== undefined) return;
    await registry.unexposeTool(name);
    await registry.exposeTool(name);
  }

  /** How its files differ from what it was started with. */
  changeOf(name: string): string | undefined {
    const plugin = this.#find(name);
    return plugin && this.#parts.project.changeOf(plugin);
  }

  close(): void {
    this.#unfollow?.();
  }

  #find(name: string): Plugin | undefined {
    return this.#parts.fleet.plugins.find((plugin) => plugin.name === name);
  }

  async #exposeKnown(name: string): Promise<void> {
    if (this.#parts.registry.getPlugin(name) === undefined) throw this.#unknown(name);
    await this.#parts.registry.exposeTool(name);
  }

  /** How it goes shows in its state. A lazy plugin rests as soon as its tools are known. */
  #begin(plugin: Plugin): void {
    const { registry } = this.#parts;
    if (plugin.spec.lazy !== true) plugin.start().catch(() => {});
    else
      registry
        .ask(plugin.name)
        .then(() => plugin.rest())
        .catch(() => {});
  }

  #unknown(name: string): PluglotError {
    const { registry, found } = this.#parts;
    const { names = [], problems = [], builtIns = [] } = found() ?? {};
    const broken = problems.find(({ plugin }) => plugin === name);
    if (broken !== undefined) return new PluglotError('CONFIG_INVALID', describeProblem(broken));
    const refusal = registry.refusalOf(name);
    const others = builtIns.map((one) => one.name);
    return refusal ?? unknownPlugin(name, names, others);
  }
}

/** `others` are suggested too. */
export function unknownPlugin(
  name: string,
  known: readonly string[],
  others: readonly string[] = [],
): PluglotError {
  const list =
    known.length === 0
      ? ' None is configured. Add one with: pluglot add NAME -- COMMAND…'
      : ' `pluglot plugins` lists them.';
  const hint = didYouMean(name, [...known, ...others]) || `${list}${exampleHint(name)}`;
  return new PluglotError('UNKNOWN_PLUGIN', `There is no plugin "${name.slice(0, 100)}".${hint}`);
}

function namesOf(plugins: readonly Plugin[]): string[] {
  return plugins.map(({ name }) => name);
}
