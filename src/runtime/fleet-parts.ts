// The fleet of a host and what it needs: folders, a launcher that checks trust before each start, detection of dialects.
import path from 'node:path';
import { systemClock } from '../base/clock.ts';
import { toError } from '../base/error.ts';
import { createSecrets, type Secrets } from '../secrets/secrets.ts';
import type { PluginSpec } from '../definition/plugin-spec.ts';
import { hostDialects } from '../dialect/hosts.ts';
import { fleetAccess, type FleetAccess } from '../fleet/access/fleet-access.ts';
import { detectDialect } from '../fleet/detection/detect-dialect.ts';
import { userTrustStore, type Discovery } from '../fleet/discovery/discover.ts';
import { homeFolders, type Environment, type HomeFolders } from '../fleet/discovery/config-places.ts';
import { createFleet, type Fleet } from '../fleet/fleet.ts';
import { fileManifestCache } from '../fleet/manifest-cache/manifest-cache.ts';
import type { Detect } from '../fleet/plugin/environment.ts';
import { SchemaChecks } from '../fleet/plugin/validation/schema-checks.ts';
import type { ContainmentMode } from '../fleet/supervisor/containment.ts';
import type { Launcher, ProgramLauncher } from '../fleet/supervisor/launcher.ts';
import { createLauncher } from '../fleet/supervisor/process-launcher.ts';
import { secretsOfHost } from '../fleet/supervisor/environment.ts';
import { canonical, isInside } from '../fleet/trust/paths.ts';
import { evidenceLinks, type Claim, type TrustStore } from '../fleet/trust/trust-store.ts';
import { trustingLauncher } from '../fleet/trust/trusting-launcher.ts';
import type { SandboxLookup } from '../gate/policy/create-policy.ts';
import { pluginConfiner } from '../gate/sandbox/confine-plugin.ts';
import { isSandbox } from '../gate/sandbox/find-sandbox.ts';
import type { Sandbox, SandboxMissing } from '../gate/sandbox/sandbox.ts';
import { findSandboxFor, ownPlaces, writableBy, type OwnPlacesReader } from './own-places.ts';

export interface FleetPartsOptions {
  /** The folder of the project. */
  readonly cwd: string;
  /** The folder of the user. */
  readonly home: string;
  /** Of this process. Plugins get an allowed part of it. */
  readonly env: Environment;
  /** Instead of the project's `pluglot.json`; it counts like the user's own. */
  readonly configFile?: string | undefined;
  /**
   * Folders of the program that embeds this: what lies in them needs no `pluglot trust add`.
   * @default none
   */
  readonly ownFolders?: readonly string[];
  /**
   * How processes are kept from outliving the host; `auto`: the best that works here.
   * @default 'auto'
   */
  readonly containment?: ContainmentMode | 'auto';
  /**
   * Whether plugins may ask something of their callers, as MCP clients can be asked.
   * @default false
   */
  readonly relaysQuestions?: boolean;
  /** Detects the dialect of a program. @default without output */
  readonly detect?: (launcher: Launcher, ...asked: Parameters<Detect>) => ReturnType<Detect>;
  /** Where each plugin gets a log file. @default logs are kept in memory alone */
  readonly logFolder?: string;
  /** Shows a person the address where a plugin asks for permission to be used. */
  readonly openUrl?: (url: string, plugin: string) => void;
}

export interface FleetParts {
  readonly access: FleetAccess;
  readonly folders: HomeFolders;
  readonly launcher: ProgramLauncher;
  readonly fleet: Fleet;
  /** By plugin, whether it may be started as it is now; one without an entry needs no trust. */
  readonly checks: Map<string, Discovery['checkAgain']>;
  readonly trust: TrustStore;
  /** What is masked wherever it is kept or shown. */
  readonly secrets: Secrets;
  /** Shared by the fleet and the gate: compilers are heavy. */
  readonly schemas: SchemaChecks;
  /** What commands in the project are confined with. */
  readonly sandbox: SandboxLookup;
  /** What confined programs neither change nor see. */
  readonly places: OwnPlacesReader;
}

export function createFleetParts(options: FleetPartsOptions, specs: readonly PluginSpec[] = []): FleetParts {
  const { cwd, home, env, ownFolders = [], containment = 'auto' } = options;
  const { detect = detectQuietly, logFolder, openUrl } = options;
  const folders = homeFolders(env, home);
  const checks: FleetParts['checks'] = new Map();
  const trust = withOwnFolders(
    userTrustStore({ env, home }),
    ownFolders.map((folder) => path.resolve(cwd, folder)),
  );
  const places = ownPlaces({ cwd, home, env, configFile: options.configFile, trust });
  let found: Promise<Sandbox | SandboxMissing> | undefined;
  const find = () => (found ??= findSandboxFor(places, env, home));
  const launcher = createLauncher({
    env,
    stateFolder: folders.state,
    hostFolder: cwd,
    containment,
    writable: () => writableBy(places, home),
    async confine() {
      await places.read();
      return pluginConfiner(await find());
    },
  });
  const trusting = trustingLauncher(launcher, async (plugin) => checks.get(plugin)?.(plugin));
  const access = fleetAccess({ folder: path.join(folders.state, 'tokens'), ...(openUrl && { openUrl }) });
  const schemas = new SchemaChecks();
  const secrets = createSecrets(secretsOfHost(env));
  const fleet = createFleet({
    specs,
    access,
    checks: schemas,
    secrets,
    launcher: trusting,
    detect: (...asked) => detect(trusting, ...asked),
    manifestCache: fileManifestCache(path.join(folders.state, 'manifests')),
    ...(logFolder === undefined ? {} : { logFolder }),
    ...(options.relaysQuestions === true ? { relaysQuestions: true } : {}),
  });
  const sandbox = lookup(find, cwd);
  return { folders, launcher, fleet, checks, trust, access, schemas, secrets, sandbox, places };
}

/** Looks once, when a command is first to be confined. */
function lookup(find: () => Promise<Sandbox | SandboxMissing>, workspace: string): SandboxLookup {
  let found: ReturnType<SandboxLookup> | undefined;
  const look = async () => {
    const one = await find();
    if (!isSandbox(one)) return (found = one);
    try {
      const confinement = { workspace, access: 'writable', network: false } as const;
      one.confine({ command: process.execPath, cwd: workspace, env: {} }, confinement);
      return (found = one);
    } catch (thrown) {
      // A home folder, for example, has too much in it to be a project.
      return (found = { missing: toError(thrown).message, fix: 'Start pluglot in the folder of a project.' });
    }
  };
  return () => (found ??= look());
}

async function detectQuietly(launcher: Launcher, ...[spec, signal, onStderr]: Parameters<Detect>) {
  const dialects = await Promise.all(Object.values(hostDialects).map((load) => load()));
  return detectDialect(spec, { launcher, dialects, clock: systemClock, signal, onStderr });
}

/** The store, for which all that really lies in these folders is trusted. */
export function withOwnFolders(store: TrustStore, folders: readonly string[]): TrustStore {
  if (folders.length === 0) return store;
  return {
    ...store,
    async checker() {
      const check = await store.checker();
      const own = (await Promise.all(folders.map(canonical))).filter((folder) => folder !== undefined);
      return async (claim) => ((await liesIn(own, claim)) ? { trusted: true } : check(claim));
    },
  };
}

async function liesIn(folders: readonly string[], claim: Claim): Promise<boolean> {
  const files = [...claim.subjects, ...claim.evidence.map(({ file }) => file)];
  // A file of these folders that another folder links to does not count for that one.
  if ((await evidenceLinks(claim)).length > 0) files.push(claim.root);
  const real = await Promise.all(files.map(canonical));
  return folders.some((folder) => real.every((file) => file !== undefined && isInside(folder, file)));
}
