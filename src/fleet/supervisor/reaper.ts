// Ends processes and their descendants, repeatedly until none is left. Requests of the same time share one scan of /proc.
import {
  addDescendants,
  environmentVariable,
  isAlive,
  listPids,
  type ProcessIdentity,
  type ProcessStat,
  readStat,
} from './process-table.ts';

export interface Reaper {
  /** Resolves when several scans in a row found nothing of the target. Never rejects. */
  end(target: Target, quietLooks?: number): Promise<void>;
}

/**
 * One scan can miss a process that is just starting, or whose parent ended during the scan, so a second one is needed.
 * @default for `quietLooks`
 */
const QUIET_LOOKS = 2;
const BETWEEN_LOOKS_MS = 10;
/** Processes that cannot be killed wait for the system, such as a dead network drive. They are scanned less and less often. */
const BETWEEN_LOOKS_MAX_MS = 1000;
/** After this time the reaper gives up. */
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
        // Other requests of this turn join.
        if (!looking) setImmediate(() => (looking ? undefined : void lookUntilQuiet()));
      }),
  };
}

/** Undefined if the scan failed. */
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

// Finds and ends processes by the mark that a fleet puts into the environment of everything it starts.

export const MARK_VARIABLE = 'PLUGLOT_FLEET';

/** The value of the variable. A host that is itself a plugin keeps the marks of its own host. */
export function markValue(mark: string, outer: string | undefined): string {
  return outer === undefined || outer === '' ? mark : `${outer} ${mark}`;
}

/** One process of a fleet with its descendants, or all processes of the fleet if the mark is the fleet's. */
export interface Target {
  /** `FLEET` or `FLEET.LAUNCH` */
  readonly mark: string;
  /** Processes in the session or group of this one belong to it, with or without a mark. */
  readonly leader?: ProcessIdentity;
  /** Known to belong to it, with or without a mark. */
  readonly members?: ReadonlySet<ProcessIdentity>;
}

/**
 * Sends SIGKILL to all processes of the targets: those with a mark, those in the session of a leader, and their descendants.
 * Returns the signalled processes, by target.
 */
export function killTargets(targets: readonly Target[]): ReadonlyMap<Target, readonly ProcessIdentity[]> {
  const table = readTable();
  const found = new Map<Target, Set<ProcessStat>>();
  for (const target of targets) {
    const members = new Set<ProcessStat>();
    for (const { stat, marks } of table.values()) {
      if (marks.includes(target.mark) || isLedBy(stat, target.leader, table)) members.add(stat);
    }
    for (const { pid, startTime } of target.members ?? []) {
      const stat = table.get(pid)?.stat;
      if (stat?.startTime === startTime) members.add(stat);
    }
    if (members.size > 0) found.set(target, members);
  }
  const stats = [...table.values()].map(({ stat }) => stat);
  for (const members of found.values()) addDescendants(members, stats);
  for (const { pid } of new Set([...found.values()].flatMap((members) => [...members]))) kill(pid);
  return new Map([...found].map(([target, members]) => [target, [...members]]));
}

type Table = ReadonlyMap<number, { readonly stat: ProcessStat; readonly marks: readonly string[] }>;

/** All living processes except this one. */
function readTable(): Table {
  const table = new Map<number, { stat: ProcessStat; marks: readonly string[] }>();
  for (const pid of listPids()) {
    const stat = pid === process.pid ? undefined : readStat(pid);
    if (stat === undefined || stat.state === 'over') continue;
    const value = environmentVariable(pid, MARK_VARIABLE);
    table.set(pid, { stat, marks: value === undefined ? [] : marksIn(value) });
  }
  return table;
}

/** `fleet.launch` matches the fleet as well. */
function marksIn(value: string): string[] {
  return value.split(' ').flatMap((mark) => [mark, mark.slice(0, Math.max(0, mark.indexOf('.')))]);
}

function isLedBy(stat: ProcessStat, leader: ProcessIdentity | undefined, table: Table): boolean {
  if (leader === undefined || (stat.session !== leader.pid && stat.group !== leader.pid)) return false;
  // The pid of a leader is not reused while its session lasts; a process with it is the leader, or an unrelated one.
  const holder = table.get(leader.pid)?.stat;
  return holder === undefined || holder.startTime === leader.startTime;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself, or may not be signalled.
  }
}
