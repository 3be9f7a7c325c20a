// Ends what is left of processes, again and again until nothing is. All that is asked for at the same time shares one look at /proc.
import { killTargets, type Target } from './marks.ts';
import { isAlive, type ProcessIdentity } from './process-table.ts';

export interface Reaper {
  /** Resolves when nothing of the target was found so many times in a row. Never rejects. */
  end(target: Target, quietLooks?: number): Promise<void>;
}

/**
 * One look can miss a process that is just being started, or whose parent ended while we looked: only the second tells.
 * @default for `quietLooks`
 */
const QUIET_LOOKS = 2;
const BETWEEN_LOOKS_MS = 10;
/** What cannot be killed waits for the system, as for a dead network drive. It is looked at less and less often. */
const BETWEEN_LOOKS_MAX_MS = 1000;
/** After so long nobody waits for it any more. */
const GIVE_UP_MS = 60_000;

export function createReaper(): Reaper {
  const waiting = new Set<Waiting>();
  let looking = false;

  const look = (): void => {
    const found = killAsFarAsPossible([...waiting].map(({ target }) => target));
    for (const each of waiting) {
      each.killed.push(...(found?.get(each.target) ?? []));
      each.killed = each.killed.filter(isAlive);
      const isQuiet = found !== undefined && !found.has(each.target) && each.killed.length === 0;
      each.quiet = isQuiet ? each.quiet + 1 : 0;
      if (each.quiet < each.quietLooks && performance.now() - each.since < GIVE_UP_MS) continue;
      waiting.delete(each);
      each.resolve();
    }
  };

  const lookUntilQuiet = async (): Promise<void> => {
    looking = true;
    for (let pause = BETWEEN_LOOKS_MS; waiting.size > 0;) {
      const before = waiting.size;
      look();
      pause = waiting.size < before ? BETWEEN_LOOKS_MS : Math.min(pause * 1.2, BETWEEN_LOOKS_MAX_MS);
      if (waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
    looking = false;
  };

  return {
    end: (target, quietLooks = QUIET_LOOKS) =>
      new Promise((resolve) => {
        waiting.add({ target, quietLooks, resolve, quiet: 0, killed: [], since: performance.now() });
        // What else ends in this turn joins in.
        if (!looking) setImmediate(() => (looking ? undefined : void lookUntilQuiet()));
      }),
  };
}

/** Undefined when nobody could be looked for. */
function killAsFarAsPossible(targets: readonly Target[]): ReturnType<typeof killTargets> | undefined {
  try {
    return killTargets(targets);
  } catch {
    return undefined;
  }
}

interface Waiting {
  readonly target: Target;
  readonly quietLooks: number;
  readonly since: number;
  readonly resolve: () => void;
  quiet: number;
  killed: ProcessIdentity[];
}
