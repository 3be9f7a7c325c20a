// The fleet of a host and what it stands on: folders, a launcher that looks again before each start, dialects found out by asking.
import path from 'node:path';
import { systemClock } from '../base/clock.ts';
import { toError } from '../base/error.ts';
import { createSecrets, type Secrets } from '../base/secrets.ts';
import type { PluginSpec } from '../definition/plugin-spec.ts';
import { hostDialects } from '../dialect/hosts.ts';
import { detectDialect } from '../fleet/detection/detect-dialect.ts';
import { userTrustStore, type Discovery } from '../fleet/discovery/discover.ts';
import { homeFolders, type Environment, type HomeFolders } from '../fleet/discovery/home-folders.ts';
import { fleetAccess, type FleetAccess } from '../fleet/access/fleet-access.ts';
import { createFleet, type Fleet } from '../fleet/fleet.ts';
import { keptIntroductions } from '../fleet/introductions/kept-introductions.ts';
import type { Detect } from '../fleet/plugin/surroundings.ts';
import { SchemaChecks } from '../fleet/plugin/validation/schema-checks.ts';
import type { ContainmentMode } from '../fleet/supervisor/containment.ts';
import type { Launcher, ProgramLauncher } from '../fleet/supervisor/launcher.ts';
import { createLauncher } from '../fleet/supervisor/process-launcher.ts';
import { secretsOfHost } from '../fleet/supervisor/secrets-of-spec.ts';
import { trustingLauncher } from '../fleet/trust/trusting-launcher.ts';
import type { TrustStore } from '../fleet/trust/trust-store.ts';
import type { SandboxLookup } from '../gate/policy/create-policy.ts';
import { pluginConfiner } from '../gate/sandbox/confine-plugin.ts';
import { isSandbox } from '../gate/sandbox/find-sandbox.ts';
import type { Sandbox, SandboxMissing } from '../gate/sandbox/sandbox.ts';
import { withOwnFolders } from './own-folders.ts';
import { findSandboxFor, ownPlaces, type OwnPlacesReader, writableBy } from './own-places.ts';

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
   * Plugins are told that they may ask something of whoever calls them, as an MCP client can be asked.
   * @default false
   */
  readonly relaysQuestions?: boolean;
}

export interface FleetParts {
  readonly access: FleetAccess;
  readonly folders: HomeFolders;
  readonly launcher: ProgramLauncher;
  readonly fleet: Fleet;
  /** By plugin, whether it may be started as it is now; one without an entry needs no trust. */
  readonly checks: Map<string, Discovery['checkAgain']>;
  readonly trust: TrustStore;
  /** All that nobody may see here, wherever it is kept or shown. */
  readonly secrets: Secrets;
  /** Of the fleet and the gate: compilers are heavy. */
  readonly schemas: SchemaChecks;
  /** What commands in the project are confined with. */
  readonly sandbox: SandboxLookup;
  /** What confined programs neither change nor see. */
  readonly places: OwnPlacesReader;
}

export interface FleetPartsExtras {
  readonly specs?: readonly PluginSpec[];
  /** Instead of asking in silence. */
  readonly detect?: (launcher: Launcher, ...asked: Parameters<Detect>) => ReturnType<Detect>;
  /** Where each plugin gets a log file; without it logs are kept in memory alone. */
  readonly logFolder?: string;
  /** Shows an address to a person who has to say there that a plugin may come in. */
  readonly openUrl?: (url: string, plugin: string) => void;
}

export function createFleetParts(options: FleetPartsOptions, extras: FleetPartsExtras = {}): FleetParts {
  const { cwd, home, env, ownFolders = [], containment = 'auto' } = options;
  const { specs = [], detect = detectQuietly, logFolder, openUrl } = extras;
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
      return pluginConfiner(await find(), home);
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
    introductions: keptIntroductions(path.join(folders.state, 'introductions')),
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
