// Finds all plugins of this machine and project, in a stable order, each with its origin and whether it may be run.
// Nothing is executed; what is broken is reported and skipped.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { defined, type JsonObject } from '../../base/json.ts';
import { sentences } from '../../base/text.ts';
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import { canonical, isInside } from '../trust/paths.ts';
import {
  type Claim,
  type Trust,
  type TrustAdded,
  type TrustStore,
  trustStore,
} from '../trust/trust-store.ts';
import type { Candidate, Candidates, ModuleCandidate, ModuleSpec, Origin } from './candidate.ts';
import type { PluginEntry } from './config-file.ts';
import { CONFIGURATION_FILES, homeFolders } from './config-places.ts';
import { tightened, withSettings } from './entry-spec.ts';
import { pluginFolders } from './plugin-folders.ts';
import type { Problem } from './problem.ts';
import { readSources, type Settings, type SourceOptions } from './sources.ts';

export interface DiscoverOptions extends SourceOptions {
  /** @default `trust.json` in the state folder */
  readonly trust?: TrustStore;
  /** Names of built-in plugins. A plugin found elsewhere under such a name replaces it. */
  readonly builtIns?: readonly string[];
}

export interface Found {
  readonly spec: PluginSpec;
  readonly origin: Origin;
  readonly trust: Trust;
  /** The place that disables it. */
  readonly disabled?: { readonly file: string; readonly line?: number };
}

/** A plugin that runs inside the host. */
export interface FoundModule extends Omit<Found, 'spec'> {
  readonly module: ModuleSpec;
}

/** The configuration of a built-in plugin. */
interface FoundBuiltIn extends Pick<Found, 'disabled'> {
  readonly name: string;
  readonly config?: JsonObject;
  readonly limits?: PluginLimits;
  readonly clients?: boolean;
}

export interface Discovery {
  /** Also those that are disabled or not trusted: the code that starts them checks. */
  readonly plugins: readonly Found[];
  /** The same for plugins that run inside the host: the code that loads them checks. */
  readonly modules: readonly FoundModule[];
  /** Built-in plugins whose names are not taken by others. */
  readonly builtIns?: readonly FoundBuiltIn[];
  /** Of plugins and modules, in the order of discovery. */
  readonly names: readonly string[];
  readonly problems: readonly Problem[];
  /** Whether the plugin of this name may be run in its current state; undefined if there is none. */
  readonly checkAgain: (plugin: string) => Promise<Trust | undefined>;
}

export async function discover(options: DiscoverOptions): Promise<Discovery> {
  const { sources, settings } = await readSources(options);
  const store = options.trust ?? userTrustStore(options);
  const checkClaim = await store.checker();
  const check = (claim: Claim | 'own'): Promise<Trust> =>
    claim === 'own' ? Promise.resolve({ trusted: true }) : checkClaim(claim);
  const held = await Promise.all(settings.map(async (one) => ({ ...one, trust: await check(one.claim) })));

  const plugins: Found[] = [];
  const modules: FoundModule[] = [];
  const claims = new Map<string, Claim | 'own'>();
  const problems: Problem[] = [...(await storeProblems(store))];
  const taken = new Map<string, { readonly place: string; readonly isBroken: boolean }>();
  for (const source of sources) {
    // One by one: a long list would overflow the arguments of push.
    for (const problem of source.problems) problems.push(problem);
    // A broken plugin keeps its name, so that no other plugin replaces it unnoticed.
    for (const { plugin, file, line } of source.problems) {
      if (plugin !== undefined && !taken.has(plugin))
        taken.set(plugin, { place: placed(file, line), isBroken: true });
    }
    for (const candidate of [...source.candidates, ...(source.modules ?? [])]) {
      const { origin, claim } = candidate;
      const { name } = 'spec' in candidate ? candidate.spec : candidate.module;
      const first = taken.get(name);
      if (first) {
        problems.push(collision(name, origin, first));
        continue;
      }
      const trust = await check(claim);
      if ('spec' in candidate) plugins.push({ ...settled(candidate, held), trust });
      else modules.push({ ...settledModule(candidate, held), trust });
      claims.set(name, claim);
      taken.set(name, { place: placed(origin.file, origin.line), isBroken: false });
    }
  }
  const builtIns = (options.builtIns ?? []).filter((name) => !taken.has(name));
  for (const name of builtIns) taken.set(name, { place: 'the host itself', isBroken: false });
  return {
    plugins,
    modules,
    builtIns: builtIns.map((name) => settledBuiltIn(name, held)),
    names: [...claims.keys()],
    problems: [...problems, ...unusedSettings(held, taken)],
    async checkAgain(plugin) {
      const claim = claims.get(plugin);
      if (claim === undefined || claim === 'own') return claim && { trusted: true };
      return (await store.checker())(claim);
    },
  };
}

export function userTrustStore({ env, home }: Pick<SourceOptions, 'env' | 'home'>): TrustStore {
  return trustStore({ file: path.join(homeFolders(env, home).state, 'trust.json') });
}

type Held = Settings & { readonly trust: Trust };

/** The candidate with its settings. Configurations that are not trusted may only disable or confine it. */
function settled({ spec, ...candidate }: Candidate, held: readonly Held[]): Omit<Found, 'trust'> {
  const { limits, entries } = settingsOf(spec, held);
  let made: PluginSpec = Object.keys(limits).length > 0 ? { ...spec, limits } : spec;
  for (const entry of entries) made = withSettings(made, entry);
  for (const { name, entry, trust } of held)
    if (name === spec.name && !trust.trusted) made = tightened(made, entry);
  return { spec: made, ...placeAndRest(spec.name, candidate, held) };
}

function settledModule(
  { module, ...candidate }: ModuleCandidate,
  held: readonly Held[],
): Omit<FoundModule, 'trust'> {
  const { limits, entries } = settingsOf(module, held);
  let made: ModuleSpec = Object.keys(limits).length > 0 ? { ...module, limits } : module;
  for (const entry of entries) made = withModuleSettings(made, entry);
  return { module: made, ...placeAndRest(module.name, candidate, held) };
}

function settledBuiltIn(name: string, held: readonly Held[]): FoundBuiltIn {
  const { limits, entries } = settingsOf({ name }, held);
  let made: FoundBuiltIn = Object.keys(limits).length > 0 ? { name, limits } : { name };
  for (const entry of entries) made = withModuleSettings(made, entry);
  const by = held.find((one) => one.name === name && one.entry.disabled)?.origin;
  return { ...made, ...(by && { disabled: placeOf(by) }) };
}

/** The settings that apply to a plugin without a process. */
function withModuleSettings<Made extends Pick<ModuleSpec, 'config' | 'limits' | 'clients'>>(
  made: Made,
  { config, limits, clients }: PluginEntry,
): Made {
  return {
    ...made,
    ...defined({ config, clients }),
    ...(limits !== undefined && { limits: { ...made.limits, ...limits } }),
  };
}

/** The limits for all plugins, overridden by its own, and its other settings. */
function settingsOf(of: { readonly name: string; readonly limits?: PluginLimits }, held: readonly Held[]) {
  const trusted = held.filter(({ trust }) => trust.trusted);
  const defaults: PluginLimits = {};
  for (const { name, entry } of trusted) if (name === undefined) Object.assign(defaults, entry.limits);
  const entries = trusted.filter(({ name }) => name === of.name).map(({ entry }) => entry);
  return { limits: { ...defaults, ...of.limits }, entries };
}

function placeAndRest(
  own: string,
  { origin, disabled }: Pick<Candidate, 'origin' | 'disabled'>,
  held: readonly Held[],
): Pick<Found, 'origin' | 'disabled'> {
  const by = disabled ? origin : held.find(({ name, entry }) => name === own && entry.disabled)?.origin;
  return { origin, ...(by && { disabled: placeOf(by) }) };
}

async function storeProblems(store: TrustStore): Promise<Problem[]> {
  const { problem } = await store.list();
  if (problem === undefined) return [];
  const wayOut = 'Repair it or move it away; until then nothing is trusted.';
  return [{ file: store.file, severity: 'error', reason: problem, wayOut }];
}

function collision(name: string, origin: Origin, first: { place: string; isBroken: boolean }): Problem {
  const reason = first.isBroken
    ? `the name "${name}" belongs to a plugin that is broken (${first.place}), so this one is left out`
    : `the name "${name}" is taken by ${first.place}, so this one is left out`;
  return { ...placeOf(origin), severity: 'warning', reason, wayOut: 'Rename or remove one of them.' };
}

function unusedSettings(held: readonly Held[], taken: ReadonlyMap<string, unknown>): Problem[] {
  return held.flatMap(({ name, entry, origin, trust }) => {
    const isOnlyTighter = Object.keys(entry).every((key) => key === 'disabled' || key === 'sandbox');
    const what = name === undefined ? 'limits' : `plugins.${name}`;
    const warn = (reason: string, wayOut: string): Problem => ({
      ...placeOf(origin),
      severity: 'warning',
      reason: `${what}: ${reason}`,
      wayOut,
    });
    const isOff = isOnlyTighter && entry.disabled === true;
    if (isOff || (isOnlyTighter && !trust.trusted)) return [];
    if (!trust.trusted) return [warn(`not used, since ${trust.reason}`, trust.wayOut)];
    if (name === undefined || taken.has(name)) return [];
    const reason = 'neither "command" nor "url", and no plugin of this name is found elsewhere';
    return [warn(reason, 'Say how it is started, or remove it.')];
  });
}

function placeOf({ file, line }: Origin): { file: string; line?: number } {
  return defined({ file, line });
}

function placed(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}

// Why a plugin that was found may not be used.

/** @param what the name of the plugin, to begin a sentence */
export function refusalOf(
  what: string,
  { trust, disabled }: Pick<Found, 'trust' | 'disabled'>,
): PluglotError | undefined {
  if (disabled !== undefined) return new PluglotError('UNKNOWN_PLUGIN', disabledMessage(what, disabled));
  if (trust.trusted) return undefined;
  return new PluglotError('NOT_TRUSTED', `${what} may not be run: ${sentences(trust.reason, trust.wayOut)}`);
}

export function disabledMessage(what: string, { file, line }: NonNullable<Found['disabled']>): string {
  const place = [file, line].filter((part) => part !== undefined).join(':');
  return `${what} is disabled in ${place}. Remove "disabled" there to use it.`;
}

// `pluglot trust add PATH`: finds the files below a path that determine what is run, and pins their current content.

export interface TrustedNow extends TrustAdded {
  /** Found from here, but located elsewhere: needs its own trust. */
  readonly elsewhere: readonly string[];
}

/** @throws PluglotError CONFIG_INVALID when the path does not exist, or the store cannot be read */
export async function trustPath(
  store: TrustStore,
  given: string,
  options: Pick<SourceOptions, 'home' | 'env' | 'platform'> & { readonly cwd: string },
): Promise<TrustedNow> {
  const place = path.resolve(options.cwd, given);
  const stats = await stat(place).catch(() => undefined);
  if (stats === undefined || !stats.isDirectory())
    return { ...(await store.add(place, [place])), elsewhere: [] };

  const root = (await canonical(place)) ?? place;
  const { files, isProject } = await filesOfProject(root);
  const { sources, settings } = await readSources({ ...options, cwd: root });
  const asProject = [...sources.flatMap(claimsIn), ...claimsOf(settings)];
  const asFolder = await pluginFolders(root, options.platform ?? process.platform, { file: root });
  const claims = [
    ...asProject,
    ...claimsIn(asFolder).filter((claim) => !(isProject && isLooseFile(claim, root))),
  ];
  const evidence = claims.flatMap((claim) => claim.evidence);
  // Only a project can refer to files elsewhere: a folder of plugins would pin the projects that contain it.
  const brought = isProject ? claims : claimsIn(asFolder);
  const elsewhere = brought.filter((claim) => !isInside(root, claim.root)).map((claim) => claim.root);
  const added = await store.add(root, [...files, ...evidence.filter(({ file }) => isInside(root, file))]);
  return { ...added, elsewhere: [...new Set(elsewhere)].filter((one) => !isInside(one, root)) };
}

function claimsIn({ candidates, modules = [] }: Candidates): Claim[] {
  return claimsOf([...candidates, ...modules]);
}

function claimsOf(bringers: readonly { readonly claim: Claim | 'own' }[]): Claim[] {
  return bringers.flatMap(({ claim }) => (claim === 'own' ? [] : [claim]));
}

/** Pinned even if they name no plugin now, so that packages installed later are covered. */
const projectNames = [...CONFIGURATION_FILES, 'package.json', 'references.json', '.references.json'];

async function filesOfProject(root: string): Promise<{ files: string[]; isProject: boolean }> {
  const files: string[] = [];
  for (const name of projectNames) {
    const file = path.join(root, name);
    if ((await stat(file).catch(() => undefined))?.isFile()) files.push(file);
  }
  return { files, isProject: files.length > 0 };
}

/** A script in the root of a project is not a plugin. */
function isLooseFile(claim: Claim, root: string): boolean {
  return (
    path.dirname(claim.root) === root && claim.evidence.length === 1 && claim.evidence[0]?.file === claim.root
  );
}
