// Resolves the name of a tool or command while plugins start: waits for those that may have it, and explains why none has.
import type { Clock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { sentences } from '../../base/text.ts';
import type { Manifest } from '../../definition/manifest.ts';
import { didYouMeanTool, fullName, isNameOf, readingsOf, splitName } from '../../definition/plugin-spec.ts';
import { describeProblem } from '../discovery/problem.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { Catalogue, KnownPlugin } from './catalogue.ts';
import type { ResolvedCommand, ResolvedTool } from './contract.ts';
import type { ExposedPlugins } from './exposed-plugins.ts';
import type { Exposing } from './exposing.ts';

type Kind = 'tool' | 'command';
type Resolved = ResolvedTool | ResolvedCommand;

/** Once a plugin has the name, others that are starting get so long to show that they have it too. */
const OTHERS_MS = 1000;

export interface ResolverParts {
  readonly catalogue: Catalogue;
  readonly exposed: ExposedPlugins;
  readonly exposing: Exposing;
  readonly clock: Clock;
  /** A secret may be typed as a name by mistake. */
  readonly secrets: Pick<Secrets, 'maskKnown'>;
}

export class NameResolver {
  readonly #parts: ResolverParts;

  constructor(parts: ResolverParts) {
    this.#parts = parts;
  }

  /** @throws PluglotError UNKNOWN_TOOL, PLUGIN_STOPPED, NOT_TRUSTED, or why the plugin that is named cannot start */
  async resolve(name: string, kind: Kind): Promise<Resolved> {
    const known = this.#find(name, kind);
    if (known !== undefined) return known;
    this.#checkStopped(name, kind);
    const named = await this.#resolveNamed(name, kind);
    if (named !== undefined) return named;
    const only = await this.#resolveInOnly(name, kind);
    if (only !== undefined) return only;
    const failures = new Map<KnownPlugin, Error>();
    const found = await this.#resolveAmongAll(name, kind, failures);
    if (found !== undefined) return found;
    throw this.#unknown(name, kind, failures);
  }

  /** Exposes it unless it is exposed, was stopped, or failed before. @throws PluglotError why it cannot be asked */
  async ask(known: KnownPlugin): Promise<void> {
    if (known.exposure !== undefined && known.exposure.live.isOver !== true) return;
    // What a stopped plugin has is known from before.
    if (known.stopped !== undefined && known.manifest !== undefined) return;
    if (known.stopped !== undefined) throw known.stopped;
    const { process } = known.source;
    if (process !== undefined) await started(process);
    else if (known.failure !== undefined) throw known.failure;
    await this.#parts.exposing.expose(known, undefined, { unlessStopped: true });
  }

  #find(name: string, kind: Kind): Resolved | undefined {
    const { exposed } = this.#parts;
    return kind === 'tool' ? exposed.resolveTool(name) : exposed.resolveCommand(name);
  }

  get #all(): KnownPlugin[] {
    return [...this.#parts.catalogue.all].filter(({ isGone }) => !isGone);
  }

  /** Plugins that may have the name: all that the user has not stopped. */
  get #candidates(): KnownPlugin[] {
    return this.#all.filter(({ stopped }) => stopped === undefined);
  }

  #checkStopped(name: string, kind: Kind): void {
    const refusal = this.whyNot(name, kind);
    if (refusal.code === 'PLUGIN_STOPPED') throw refusal;
  }

  /** By `plugin__tool` or `mcp__server__tool`. */
  async #resolveNamed(name: string, kind: Kind): Promise<Resolved | undefined> {
    for (const { plugin } of readingsOf(name)) {
      const known = this.#candidates.find((one) => one.name === plugin);
      if (known === undefined) continue;
      await this.ask(known);
      const found = this.#find(name, kind);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Where there is one plugin, it is meant: also with a tool that it does not list, and its failure is the failure. */
  async #resolveInOnly(name: string, kind: Kind): Promise<Resolved | undefined> {
    const [only, ...others] = this.#candidates.filter(({ source }) => source.origin !== 'built-in');
    if (only === undefined || others.length > 0 || only.source.origin !== 'process') return undefined;
    if (kind === 'command') return undefined;
    await this.ask(only);
    return this.#find(name, kind) ?? this.#find(fullName(only.name, name), kind);
  }

  /** Lazy plugins are started where the others do not have it, and built-in ones set up where no other has it. */
  async #resolveAmongAll(
    name: string,
    kind: Kind,
    failures: Map<KnownPlugin, Error>,
  ): Promise<Resolved | undefined> {
    const others = this.#candidates.filter(({ source }) => source.load === undefined);
    const isHad = () => this.#parts.exposed.having(kind, name).length > 0;
    const unseen = others.filter(({ source }) => source.isUnseen === true);
    await this.#askAll(
      others.filter((one) => !unseen.includes(one)),
      isHad,
      failures,
    );
    if (!isHad()) await this.#askAll(unseen, isHad, failures);
    if (!isHad()) await this.#exposeLoaded(name, kind);
    return this.#find(name, kind);
  }

  async #askAll(
    plugins: readonly KnownPlugin[],
    isHad: () => boolean,
    failures: Map<KnownPlugin, Error>,
  ): Promise<void> {
    const unasked = plugins.filter(({ exposure }) => exposure === undefined);
    if (unasked.length === 0) return;
    await new Promise<void>((resolve) => {
      let left = unasked.length;
      let callOff: (() => void) | undefined;
      const settled = () => {
        left -= 1;
        if (left === 0) {
          callOff?.();
          resolve();
        } else if (isHad()) callOff ??= this.#parts.clock.after(OTHERS_MS, resolve);
      };
      for (const known of unasked)
        this.ask(known)
          .catch((thrown: unknown) => failures.set(known, toError(thrown)))
          .finally(settled);
    });
  }

  /** Of plugins whose manifest can be loaded, only the one that has it is set up. */
  async #exposeLoaded(name: string, kind: Kind): Promise<void> {
    const loadable = this.#candidates.filter(({ source }) => source.load !== undefined);
    await Promise.all(loadable.map(async ({ source }) => source.load?.()));
    const having = loadable.filter(({ manifest }) => {
      const list = kind === 'tool' ? manifest?.tools : manifest?.commands;
      return list?.some((one) => one.name === name) === true;
    });
    await Promise.all(having.map((known) => this.ask(known)));
  }

  /** Why a name is not found, and what may have been meant. */
  whyNot(name: string, kind: Kind): PluglotError {
    const { catalogue, exposed, secrets } = this.#parts;
    const unexposed = [...catalogue.all].filter(({ exposure }) => exposure === undefined);
    return whyNot(name, kind, exposed, unexposed, catalogue.blocked, secrets);
  }

  #unknown(name: string, kind: Kind, failures: ReadonlyMap<KnownPlugin, Error>): PluglotError {
    const { catalogue, exposed, secrets } = this.#parts;
    const plugin = splitName(name)?.plugin ?? name;
    const blocked = catalogue.blocked.get(plugin);
    if (blocked !== undefined) return blocked;
    const broken = catalogue.problems.find((problem) => problem.plugin === plugin);
    if (broken !== undefined && catalogue.find(plugin) === undefined)
      return new PluglotError('CONFIG_INVALID', describeProblem(broken));
    const failed = [...failures].find(([known]) => known.name === plugin)?.[1];
    if (failed instanceof PluglotError) return failed;
    const why = this.whyNot(name, kind);
    const shown = `${kind} "${secrets.maskKnown(name).slice(0, 100)}"`;
    if (why.code !== 'UNKNOWN_TOOL' || exposed.having(kind, name).length > 0) return why;
    if (this.#all.every(({ source }) => source.origin === 'built-in') && catalogue.problems.length === 0)
      return noPlugin(shown, didYouMeanTool(name, this.#namesOf(kind)));
    const hint = didYouMeanTool(name, this.#namesOf(kind));
    const message = [
      `No plugin has a ${shown}.${hint || (kind === 'command' ? ' `pluglot run` lists them.' : '')}`,
      notAsked('Could not be asked', failures, 'process'),
      notAsked('Could not be loaded', failures, 'in-process'),
    ].join('');
    const { untrusted } = catalogue;
    if (untrusted.length === 0) return new PluglotError('UNKNOWN_TOOL', message);
    const list = untrusted.map((one) => `"${one.plugin}"`).join(', ');
    const wayOut = catalogue.problems.find((problem) => problem.plugin === untrusted[0]?.plugin)?.wayOut;
    return new PluglotError(
      'NOT_TRUSTED',
      sentences(message, `Not asked, since they are not trusted: ${list}`, wayOut ?? ''),
    );
  }

  #namesOf(kind: Kind): string[] {
    return this.#all.flatMap(({ name: plugin, manifest, source }) => {
      const list = kind === 'tool' ? (manifest?.tools ?? source.process?.tools()) : manifest?.commands;
      return (list ?? []).map((one) => fullName(plugin, one.name));
    });
  }
}

/** A plugin that has failed is not started again for every name that is looked up. */
async function started(plugin: Plugin): Promise<void> {
  if (plugin.manifest !== undefined) return;
  const { state, reason } = plugin.status;
  if ((state === 'failed' || state === 'backoff') && reason !== undefined) throw reason;
  await plugin.start();
}

function noPlugin(shown: string, hint: string): PluglotError {
  return new PluglotError(
    'UNKNOWN_TOOL',
    hint === ''
      ? `There is no plugin that could have a ${shown}. None is configured: type the command of one behind --, or add it with: pluglot add NAME -- COMMAND…`
      : `No plugin has a ${shown}.${hint}`,
  );
}

function notAsked(
  what: string,
  failures: ReadonlyMap<KnownPlugin, Error>,
  origin: 'process' | 'in-process',
): string {
  const those = [...failures].filter(([{ source }]) => source.origin === origin);
  if (those.length === 0) return '';
  return ` ${what}: ${those.map(([{ name }, { message }]) => `${name} (${inShort(message)})`).join(', ')}.`;
}

/** The first line, cut at a word. */
function inShort(message: string): string {
  const [line = ''] = message.split('\n', 1);
  return line.length <= SHORT ? line : `${line.slice(0, SHORT).replace(/\s+\S*$/, '')} …`;
}

const SHORT = 200;

interface Unexposed {
  readonly name: string;
  /** Undefined until it was asked. */
  readonly manifest: Manifest | undefined;
  readonly stopped: PluglotError | undefined;
}

export function stoppedByUser(plugin: string): PluglotError {
  return new PluglotError(
    'PLUGIN_STOPPED',
    `Plugin "${plugin}" is stopped. \`pluglot start ${plugin}\` starts it.`,
  );
}

function whyNot(
  name: string,
  kind: 'tool' | 'command',
  exposed: ExposedPlugins,
  unexposed: readonly Unexposed[],
  blocked: ReadonlyMap<string, PluglotError>,
  secrets: Pick<Secrets, 'maskKnown'>,
): PluglotError {
  // Some dialects have tools that are not listed.
  const isMeant = (one: Unexposed) => isOf(name, kind, one) || namesPlugin(name, one.name);
  const stopped = unexposed.find((one) => one.stopped !== undefined && isMeant(one))?.stopped;
  if (stopped !== undefined && exposed.having(kind, name).length === 0) return stopped;
  const isBlocked =
    exposed.having(kind, name).length === 0 && !unexposed.some((one) => isOf(name, kind, one));
  const [, refusal] = isBlocked ? ([...blocked].find(([plugin]) => namesPlugin(name, plugin)) ?? []) : [];
  return refusal ?? new PluglotError('UNKNOWN_TOOL', messageFor(name, kind, exposed, unexposed, secrets));
}

function messageFor(
  name: string,
  kind: 'tool' | 'command',
  exposed: ExposedPlugins,
  unexposed: Iterable<Unexposed>,
  secrets: Pick<Secrets, 'maskKnown'>,
): string {
  const what = `${kind} "${secrets.maskKnown(name).slice(0, 100)}"`;
  const off = kind === 'tool' ? exposed.findTool(name) : undefined;
  if (off !== undefined && off.plugin.disabled.has(off.tool.name))
    return `The ${what} of plugin "${off.plugin.name}" is switched off here.`;
  const having = exposed.having(kind, name).map((one) => `"${one.name}"`);
  if (having.length > 1) return `Several plugins have a ${what}: name it as one of ${having.join(', ')}.`;
  if (having.length === 1)
    return `A ${kind} with "__" in its name is called with its plugin: ${having.join('')}.`;
  for (const one of unexposed)
    if (isOf(name, kind, one))
      return `Plugin "${one.name}" has a ${what}, but is not exposed. Expose it first.`;
  return `There is no ${what}.${didYouMeanTool(name, exposed.names(kind))}`;
}

function isOf(name: string, kind: 'tool' | 'command', { name: plugin, manifest }: Unexposed): boolean {
  const list = (kind === 'tool' ? manifest?.tools : manifest?.commands) ?? [];
  return list.some((one) => isNameOf(name, plugin, one.name));
}

function namesPlugin(name: string, plugin: string): boolean {
  return readingsOf(name).some((one) => one.plugin === plugin);
}
