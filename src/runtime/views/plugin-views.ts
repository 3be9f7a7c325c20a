// Plugins, tools and commands of a runtime as others see them: those that run, and those that only were found.
import { PluglotError } from '../../base/error.ts';
import { didYouMean } from '../../base/names.ts';
import type { Health, Manifest } from '../../definition/manifest.ts';
import { fullName, type PluginSpec } from '../../definition/plugin-spec.ts';
import type { Discovery, Found } from '../../fleet/discovery/discover.ts';
import { masked } from '../../fleet/recording/cassette.ts';
import type { RegisteredPlugin } from '../../fleet/registry/registry.ts';
import { isOffered } from '../../fleet/registry/contract.ts';
import type { CommandView, PluginDetails, PluginStats, PluginView, ToolView } from '../api.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import type { CallStats } from './call-stats.ts';
import { shownCommand, withoutSecrets } from './wires.ts';

export interface PluginViews {
  /** Those that were found in the order in which they stand in the files; last those that the program itself has. */
  names(): readonly string[];
  /** Undefined when it is unknown. */
  find(name: string): PluginView | undefined;
  /** @throws PluglotError UNKNOWN_PLUGIN */
  view(name: string): PluginView;
  details(name: string): Promise<PluginDetails>;
  tools(plugin?: string): readonly ToolView[];
  /** By the name that its plugin has for it. @throws PluglotError UNKNOWN_TOOL */
  tool(plugin: string, own: string): ToolView;
  commands(plugin?: string): readonly CommandView[];
  /** @throws PluglotError UNKNOWN_TOOL */
  command(plugin: string, own: string): CommandView;
}

export interface PluginViewParts {
  readonly runtime: Pick<RuntimeParts, 'registry' | 'found' | 'fleet'>;
  readonly stats: CallStats;
  /** When plugins in this process were set up, in milliseconds since 1970. */
  readonly since: ReadonlyMap<string, number>;
  /** What is configured for it now that it does not follow yet, and the way out. */
  readonly changeOf: (plugin: string) => string | undefined;
}

export function pluginViews({ runtime, stats, since, changeOf }: PluginViewParts): PluginViews {
  const { registry } = runtime;
  const names = () => [
    ...new Set([...foundNames(runtime.found), ...registry.listAvailable(), ...registry.listExposed()]),
  ];
  /** A plugin that is starting or failing is not exposed, but has a process. */
  const knownOf = (name: string): RegisteredPlugin | undefined => {
    const known = registry.getPlugin(name);
    if (known === undefined || known.process !== undefined || known.origin !== 'process') return known;
    const process = runtime.fleet.plugins.find((plugin) => plugin.name === name);
    if (process === undefined) return known;
    const { origin, isExposed, isForClients, manifest, failure } = known;
    return { name, origin, isExposed, isForClients, manifest, failure, process };
  };
  const find = (name: string): PluginView | undefined => {
    const known = knownOf(name);
    const found = foundOf(runtime.found, name);
    if (known === undefined && found === undefined) return undefined;
    const changed = changeOf(name);
    return {
      name,
      ...rest(known, found),
      ...lifeOf(known, since.get(name)),
      ...(changed !== undefined && { changed }),
      ...keptFrom(known, found),
      stats: statsOf(name, known),
    };
  };
  const statsOf = (name: string, known: RegisteredPlugin | undefined): PluginStats => {
    const counts = stats.plugins.get(name);
    const { running = counts?.running ?? 0, waiting = 0 } = known?.process?.status ?? {};
    return {
      calls: counts?.calls ?? 0,
      failures: counts?.failures ?? 0,
      running,
      waiting,
      p50Ms: counts?.latency.percentile(0.5) ?? 0,
      p99Ms: counts?.latency.percentile(0.99) ?? 0,
      perSecond: counts?.perSecond.counts ?? quiet,
    };
  };
  const view = (name: string) => {
    const found = find(name);
    if (found === undefined) throw unknownPlugin(name, names());
    return found;
  };
  const tools = (plugin?: string): ToolView[] => {
    const all: ToolView[] = [];
    for (const owner of registry.listExposed()) {
      if (plugin !== undefined && owner !== plugin) continue;
      for (const tool of registry.getPlugin(owner)?.manifest?.tools ?? []) {
        const name = fullName(owner, tool.name);
        const resolved = registry.resolveTool(name);
        const enabled = resolved !== undefined;
        all.push({ name, plugin: owner, tool, enabled, clients: enabled && isOffered(client, resolved) });
      }
    }
    return all;
  };
  const tool = (plugin: string, own: string): ToolView => {
    const full = fullName(plugin, own);
    const listed = tools(plugin).find((view) => view.tool.name === own);
    if (listed !== undefined) return listed;
    // Not in its list, where the dialect has none.
    const resolved = registry.resolveTool(full);
    if (resolved?.plugin !== plugin) throw registry.whyNot(full, 'tool');
    const clients = isOffered(client, resolved);
    return { name: resolved.name, plugin, tool: resolved.tool, enabled: true, clients };
  };
  const command = (plugin: string, own: string): CommandView => {
    const found = commands(plugin).find((view) => view.command.name === own);
    if (found === undefined) throw registry.whyNot(fullName(plugin, own), 'command');
    return found;
  };
  const commands = (plugin?: string): CommandView[] =>
    registry.getExposedUserCommands().flatMap(({ name }) => {
      const resolved = registry.resolveCommand(name);
      if (resolved === undefined || (plugin !== undefined && resolved.plugin !== plugin)) return [];
      const { plugin: owner, command: described } = resolved;
      return [{ name, plugin: owner, command: described, clients: isOffered(client, resolved) }];
    });
  return {
    names,
    find,
    view,
    tools,
    tool,
    commands,
    command,
    async details(name) {
      const { tools: _, ...seen } = view(name);
      const known = knownOf(name);
      const { version, description, instructions } = known?.manifest ?? {};
      const manifest = shownManifest(known);
      return {
        ...seen,
        ...(version !== undefined && { version }),
        ...(description !== undefined && { description }),
        ...(manifest !== undefined && { manifest }),
        tools: tools(name),
        commands: commands(name),
        ...(instructions !== undefined && { instructions }),
        health: await healthOf(known),
      };
    },
  };
}

const client = { kind: 'client' } as const;

const quiet: readonly number[] = Array<number>(60).fill(0);

/** What was found under a name, whatever it is. */
type AnyFound = Partial<Pick<Found, 'spec' | 'origin' | 'trust' | 'disabled'>> & {
  readonly module?: { readonly file: string };
};

function foundNames(found: Discovery | undefined): string[] {
  return [...(found?.names ?? []), ...(found?.builtIns ?? []).map(({ name }) => name)];
}

function foundOf(found: Discovery | undefined, name: string): AnyFound | undefined {
  return (
    found?.plugins.find(({ spec }) => spec.name === name) ??
    found?.modules.find(({ module }) => module.name === name) ??
    found?.builtIns?.find((one) => one.name === name)
  );
}

function rest(
  known: RegisteredPlugin | undefined,
  found: AnyFound | undefined,
): Pick<PluginView, 'origin' | 'dialect' | 'command' | 'from' | 'lazy' | 'sandbox'> {
  const spec = known?.process?.spec ?? found?.spec;
  const isBuiltIn = found !== undefined && found.spec === undefined && found.module === undefined;
  const origin = known?.origin ?? (spec === undefined ? (isBuiltIn ? 'built-in' : 'in-process') : 'process');
  const { file, line } = found?.origin ?? {};
  return {
    origin,
    dialect:
      known?.process?.manifest?.dialect ?? spec?.dialect ?? (origin === 'process' ? 'unknown' : 'in-process'),
    command:
      spec === undefined
        ? (found?.module?.file ?? (origin === 'built-in' ? 'built in' : ''))
        : shownCommand(spec.start),
    ...(file !== undefined && { from: line === undefined ? file : `${file}:${line}` }),
    ...(spec?.lazy === true && { lazy: true }),
    ...sandboxOf(spec?.sandbox),
  };
}

function sandboxOf(sandbox: PluginSpec['sandbox'] = false): Pick<PluginView, 'sandbox'> {
  if (sandbox === false) return {};
  const { network = false, folders = {} } = sandbox === true ? {} : sandbox;
  return { sandbox: { network, folders } };
}

function lifeOf(
  known: RegisteredPlugin | undefined,
  exposedAt: number | undefined,
): Pick<PluginView, 'state' | 'sinceMs' | 'reason' | 'restarts' | 'pids' | 'tools' | 'talks' | 'talking'> {
  const { process, failure, isExposed = false, manifest } = known ?? {};
  const offered =
    manifest === undefined ? {} : { tools: manifest.tools.length, talks: manifest.talks === true };
  if (process !== undefined) {
    const { state, since, reason, restarts, pids, isTalking } = process.status;
    return {
      state,
      sinceMs: since === 0 ? 0 : Math.max(0, Date.now() - since),
      ...(reason !== undefined && { reason: reason.message }),
      restarts,
      pids,
      ...offered,
      ...(isTalking && { talking: true }),
    };
  }
  return {
    state: failure !== undefined ? 'failed' : isExposed ? 'ready' : 'stopped',
    sinceMs: exposedAt === undefined ? 0 : Math.max(0, Date.now() - exposedAt),
    ...(failure !== undefined && { reason: failure.message }),
    restarts: 0,
    pids: [],
    ...offered,
  };
}

/** What is not to run anyway needs no trust. */
function keptFrom(
  known: RegisteredPlugin | undefined,
  found: AnyFound | undefined,
): Partial<Pick<PluginView, 'state' | 'untrusted'>> {
  if (known?.isExposed === true || found === undefined) return {};
  if (found.disabled !== undefined) return { state: 'disabled' };
  if (found.trust === undefined || found.trust.trusted) return {};
  const { reason, wayOut } = found.trust;
  return { untrusted: { reason, wayOut } };
}

/** Undefined until it was asked. */
function shownManifest(known: RegisteredPlugin | undefined): Manifest | undefined {
  const manifest = known?.process?.manifest;
  if (manifest !== undefined) return { ...withoutSecrets(manifest), raw: masked(manifest.raw) };
  if (known?.manifest === undefined || known.origin === 'process') return undefined;
  return known.manifest.talks === true ? { ...known.manifest, capabilities: ['talk'] } : known.manifest;
}

async function healthOf(known: RegisteredPlugin | undefined): Promise<Health> {
  if (known?.process !== undefined) return known.process.health();
  if (known?.failure !== undefined) return { status: 'error', message: known.failure.message };
  return known?.isExposed === true ? { status: 'ok' } : { status: 'error', message: 'It is stopped.' };
}

function unknownPlugin(name: string, known: readonly string[]): PluglotError {
  const hint = didYouMean(name, known) || (known.length === 0 ? ' There are none.' : '');
  return new PluglotError('UNKNOWN_PLUGIN', `There is no plugin "${name.slice(0, 100)}".${hint}`);
}
