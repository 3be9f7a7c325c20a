// A running `up` follows its files: plugins, rules of the gate and profiles are what they say now, and only what changed starts again.
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '../../../base/clock.ts';
import { toError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import { describeProblem, type Problem } from '../../../fleet/discovery/problem.ts';
import type { Discovery } from '../../../fleet/discovery/discover.ts';
import { serverSettings } from '../../../runtime/server-settings.ts';
import type { CommandContext } from '../commands/context.ts';
import { watchFiles, type Watching } from '../dev/watch-files.ts';
import type { OwnHost } from '../host/own-host.ts';
import { problemsOf } from '../host/tell-problems.ts';
import { configTargets, type ConfigTargets } from './config-targets.ts';
import type { ServedRuntime } from './serve-runtime.ts';

export interface FollowConfigParts {
  readonly context: CommandContext;
  readonly own: OwnHost;
  readonly served: ServedRuntime;
}

/** Until it is closed. */
export async function followConfig({ context, own, served }: FollowConfigParts): Promise<Watching> {
  const { cwd, home, env, configFile, err } = context;
  const files = { cwd, home, env, configFile };
  const { host, keeper, gated, found, fleet, inProcess } = own;
  const problemsNow = async () => problemsOf(await host.plugins());
  const complain = complaints(context);
  let serving = await serverSettings(files);
  complain([...(await problemsNow()), ...serving.problems]);
  let before = found();
  let isWaiting = false;
  // A lookup may have reloaded the rules already, so that reloading them here changes nothing.
  let version = 0;
  let isClosed = false;

  const reload = async () => {
    const followed = await keeper.follow();
    const now = found();
    const wired = await gated.wired();
    const gate = await wired.reloadGate();
    const inside = changedInside(before, now);
    before = now;
    const refused = (await Promise.all(inside.map((name) => again(name, inProcess)))).flat();
    const { server } = serving;
    serving = await serverSettings(files, serving.entries);
    const ended = await served.useProfiles(serving.profiles);
    const isElsewhere = !isDeepStrictEqual(server, serving.server);
    isWaiting = followed.waiting.length > 0;
    complain([...(await problemsNow()), ...gate.problems, ...serving.problems]);
    tell(context, [
      part('added', followed.added),
      part('removed', followed.removed),
      part('started again', [...followed.restarted, ...inside]),
      part('at work, to follow later', followed.waiting),
      ...(gate.version === version ? [] : ['permission rules and limits reloaded']),
      ...(ended === undefined ? [] : ['profiles reloaded', part('their clients connect again', ended)]),
      ...(isElsewhere ? ['"server" takes effect at the next start'] : []),
      ...refused,
    ]);
    version = gate.version;
  };
  /** One after the other. */
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>) => {
    last = last.then(async () => {
      if (isClosed) return;
      await work().catch((thrown: unknown) => {
        err.line(`${err.colours.yellow('!')} ${printableLine(toError(thrown).message, 2000)}`);
      });
    });
    return last;
  };

  let targets = await configTargets(files);
  const watch = () => watchFiles(targets, systemClock, () => void inTurn(follow));
  /** Until it looks at all that the files name now, and has read what came before it looked. */
  const follow = async (): Promise<void> => {
    await reload();
    const next = await configTargets(files);
    if (isClosed || isSame(next, targets)) return;
    targets = next;
    await watching.close();
    watching = await watch();
    await follow();
  };
  let watching = await watch();
  // What changed before somebody watched.
  void inTurn(follow);
  // Whoever was at work follows when that is over.
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

function isSame(one: ConfigTargets, other: ConfigTargets): boolean {
  return isDeepStrictEqual([one.paths, one.wanted], [other.paths, other.wanted]);
}

/** Each is told once, until it is fixed. What is there at first has been told. */
function complaints({ err }: CommandContext): (problems: readonly Problem[]) => void {
  let known: ReadonlyMap<string, Problem> | undefined;
  const isError = ({ severity }: Problem) => severity === 'error';
  return (problems) => {
    const now = new Map(problems.map((problem) => [describeProblem(problem), problem]));
    for (const [text, problem] of now) {
      if (known?.has(text) !== false) continue;
      const rest = isError(problem) ? ' Keeping the last valid version.' : '';
      err.line(`${err.colours.yellow('!')} ${printableLine(text, 2000)}${rest}`);
    }
    if (known !== undefined && [...known.values()].some(isError) && ![...now.values()].some(isError))
      err.line(`${err.colours.green('✓')} All files can be read again.`);
    known = now;
  };
}

function part(what: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${what}: ${names.join(', ')}`;
}

function tell({ out, json }: CommandContext, parts: readonly string[]): void {
  const told = parts.filter((text) => text !== '');
  if (told.length === 0) return;
  const text = printableLine(told.join('; '), 2000);
  if (json) out.line(JSON.stringify({ at: Date.now(), configuration: text }));
  else out.line(`${out.colours.cyan('↻')} configuration: ${text}`);
}

/** Plugins in this process of which another thing is said now. */
function changedInside(before: Discovery, now: Discovery): string[] {
  const old = insideOf(before);
  return [...insideOf(now)].flatMap(([name, one]) => (isDeepStrictEqual(old.get(name), one) ? [] : [name]));
}

function insideOf({ modules, builtIns = [] }: Discovery): Map<string, unknown> {
  return new Map<string, unknown>([
    ...modules.map(
      ({ module, trust, disabled }) => [module.name, [module, trust.trusted, disabled]] as const,
    ),
    ...builtIns.map((one) => [one.name, one] as const),
  ]);
}

async function again(name: string, inProcess: OwnHost['inProcess']): Promise<string[]> {
  try {
    await inProcess.renew(name);
    return [];
  } catch (thrown) {
    return [`${name}: ${toError(thrown).message}`];
  }
}
