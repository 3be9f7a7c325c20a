// Follows the files of a running host: plugins, rules of the gate and profiles are what they say now, and only what changed starts again.
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '../base/clock.ts';
import { toError } from '../base/error.ts';
import type { Discovery } from '../fleet/discovery/discover.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import { configurationFiles, type ConfigurationFiles } from './configuration-files.ts';
import type { Runtime } from './create-runtime.ts';
import type { FileChanges } from './lifecycle.ts';
import { problemsOf } from './problems.ts';
import type { GateFilesOptions } from './read-entries.ts';
import { serverSettings, type ProfileSettings } from './server-settings.ts';
import { watchFiles, type Watching } from './watch-files.ts';

export interface ConfigurationChange extends FileChanges {
  readonly isGateReloaded: boolean;
  /** Profiles whose clients have to connect again; undefined when the profiles are as before. */
  readonly endedProfiles: readonly string[] | undefined;
  readonly isServerChanged: boolean;
  /** Plugins in this process that could not be set up again. */
  readonly failures: readonly string[];
}

export interface FollowConfigurationParts {
  readonly runtime: Runtime;
  readonly files: GateFilesOptions;
  readonly useProfiles: (profiles: ProfileSettings) => Promise<readonly string[] | undefined>;
  readonly onChange: (change: ConfigurationChange) => void;
  /** Gets all problems that there are now. */
  readonly onProblems: (problems: readonly Problem[]) => void;
  readonly onError: (error: Error) => void;
}

/** Until it is closed. */
export async function followConfiguration(parts: FollowConfigurationParts): Promise<Watching> {
  const { runtime, files, useProfiles, onChange, onProblems, onError } = parts;
  const { fleet } = runtime;
  let serving = await serverSettings(files);
  onProblems([...problemsOf(await runtime.plugins()), ...serving.problems]);
  let before = runtime.found;
  let isWaiting = false;
  // A lookup of a name may have reloaded the rules already.
  let version = 0;
  let isClosed = false;

  const reload = async () => {
    const changes = await runtime.followFiles();
    const gate = await runtime.reloadGate();
    const inProcess = changedInProcess(before, runtime.found);
    before = runtime.found;
    const failures = (await Promise.all(inProcess.map((name) => renewed(runtime, name)))).flat();
    const { server } = serving;
    serving = await serverSettings(files, serving.entries);
    const endedProfiles = await useProfiles(serving.profiles);
    isWaiting = changes.waiting.length > 0;
    onProblems([...problemsOf(await runtime.plugins()), ...gate.problems, ...serving.problems]);
    onChange({
      ...changes,
      restarted: [...changes.restarted, ...inProcess],
      isGateReloaded: gate.version !== version,
      endedProfiles,
      isServerChanged: !isDeepStrictEqual(server, serving.server),
      failures,
    });
    version = gate.version;
  };
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>) => {
    last = last.then(async () => {
      if (!isClosed) await work().catch((thrown: unknown) => onError(toError(thrown)));
    });
    return last;
  };

  let targets = await configurationFiles(files);
  const watch = () => watchFiles(targets, systemClock, () => void inTurn(follow));
  /** Again and again until it watches all files that the configuration names now. */
  const follow = async (): Promise<void> => {
    await reload();
    const next = await configurationFiles(files);
    if (isClosed || isSame(next, targets)) return;
    targets = next;
    await watching.close();
    watching = await watch();
    await follow();
  };
  let watching = await watch();
  // Files may have changed before they were watched.
  void inTurn(follow);
  // Plugins that were at work follow when that is over.
  const unfollow = fleet.onEvent((event) => {
    if (isWaiting && event.kind === 'state-changed' && event.previous === 'busy') void inTurn(reload);
  });
  return {
    async close() {
      isClosed = true;
      unfollow();
      await last;
      await watching.close();
    },
  };
}

function isSame(one: ConfigurationFiles, other: ConfigurationFiles): boolean {
  return isDeepStrictEqual([one.paths, one.wanted], [other.paths, other.wanted]);
}

function changedInProcess(before: Discovery | undefined, now: Discovery | undefined): string[] {
  const old = inProcessOf(before);
  return [...inProcessOf(now)].flatMap(([name, one]) =>
    isDeepStrictEqual(old.get(name), one) ? [] : [name],
  );
}

function inProcessOf({ modules = [], builtIns = [] }: Partial<Discovery> = {}): Map<string, unknown> {
  return new Map<string, unknown>([
    ...modules.map(
      ({ module, trust, disabled }) => [module.name, [module, trust.trusted, disabled]] as const,
    ),
    ...builtIns.map((one) => [one.name, one] as const),
  ]);
}

async function renewed(runtime: Runtime, name: string): Promise<string[]> {
  try {
    await runtime.renewInProcess(name);
    return [];
  } catch (thrown) {
    return [`${name}: ${toError(thrown).message}`];
  }
}
