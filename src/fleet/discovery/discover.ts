// All plugins this machine and this project know of, in a stable order, each with where it comes from and whether it may be run.
// Reading executes nothing, and whatever is broken is told and skipped.
import path from 'node:path';
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import { type Claim, type Trust, type TrustStore, trustStore } from '../trust/trust-store.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Candidate, ModuleCandidate, ModuleSpec, Origin } from './candidate.ts';
import type { PluginEntry } from './config-file.ts';
import { tightened, withSettings } from './entry-spec.ts';
import { homeFolders } from './home-folders.ts';
import type { Problem } from './problem.ts';
import { readSources, type Settings, type SourceOptions } from './sources.ts';

export interface DiscoverOptions extends SourceOptions {
  /** @default `trust.json` in the state folder */
  readonly trust?: TrustStore;
  /** Names of plugins that the host brings itself. What is found elsewhere under such a name takes its place. */
  readonly builtIns?: readonly string[];
}

export interface Found {
  readonly spec: PluginSpec;
  readonly origin: Origin;
  readonly trust: Trust;
  /** Where it is said that it is not to be started. */
  readonly disabled?: { readonly file: string; readonly line?: number };
}

/** A plugin that runs inside of the host. */
export interface FoundModule extends Omit<Found, 'spec'> {
  readonly module: ModuleSpec;
}

/** What is configured for a plugin that the host brings itself. */
export interface FoundBuiltIn extends Pick<Found, 'disabled'> {
  readonly name: string;
  readonly config?: JsonObject;
  readonly limits?: PluginLimits;
  readonly clients?: boolean;
}

export interface Discovery {
  /** Also those that are disabled or not trusted: whoever starts them looks at that. */
  readonly plugins: readonly Found[];
  /** The same of plugins that run inside of the host: whoever loads them looks at that. */
  readonly modules: readonly FoundModule[];
  /** Those that the host brings itself, where nothing else has their names. */
  readonly builtIns?: readonly FoundBuiltIn[];
  /** Of plugins and modules, in the order in which they were found. */
  readonly names: readonly string[];
  readonly problems: readonly Problem[];
  /** Whether what was found under this name may be run as it is now; undefined when nothing was. */
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
    // One by one: a list of others may be too long to be handed over at once.
    for (const problem of source.problems) problems.push(problem);
    // A broken plugin keeps its name: another one in its place would be a surprise.
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

/** The candidate with what configurations say of it. Only trusted ones may say more than that it is not to run, or only confined. */
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

/** Of what has no process, these alone mean something. */
function withModuleSettings<Made extends Pick<ModuleSpec, 'config' | 'limits' | 'clients'>>(
  made: Made,
  { config, limits, clients }: PluginEntry,
): Made {
  return {
    ...made,
    ...(config !== undefined && { config }),
    ...(limits !== undefined && { limits: { ...made.limits, ...limits } }),
    ...(clients !== undefined && { clients }),
  };
}

/** The limits that hold for all, under its own; and what is said of it alone. */
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
  return { file, ...(line !== undefined && { line }) };
}

function placed(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}
