// Finds and ends processes by the mark that everything a fleet starts carries in its environment, wherever it has moved since.
import {
  addDescendants,
  environmentVariable,
  listPids,
  type ProcessIdentity,
  type ProcessStat,
  readStat,
} from './process-table.ts';

export const MARK_VARIABLE = 'PLUGLOT_FLEET';

/** The value of the variable. A host that is itself a plugin of another keeps the marks of that one. */
export function markValue(mark: string, outer: string | undefined): string {
  return outer === undefined || outer === '' ? mark : `${outer} ${mark}`;
}

/** One process of a fleet with all that it started, or, when the mark is that of the fleet, all processes of it. */
export interface Target {
  /** `FLEET` or `FLEET.LAUNCH` */
  readonly mark: string;
  /** Whoever is in the session or group of this process belongs to it, with or without a mark. */
  readonly leader?: ProcessIdentity;
  /** Known to belong to it, with or without a mark. */
  readonly members?: ReadonlySet<ProcessIdentity>;
}

/**
 * Sends SIGKILL to all that belongs to the targets: what carries a mark, what is in the session of a leader, and what descends from these.
 * Returns whom it was sent to, by target.
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

/** All that lives, but for this process itself. */
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

/** `fleet.launch` stands for the fleet as well. */
function marksIn(value: string): string[] {
  return value.split(' ').flatMap((mark) => [mark, mark.slice(0, Math.max(0, mark.indexOf('.')))]);
}

function isLedBy(stat: ProcessStat, leader: ProcessIdentity | undefined, table: Table): boolean {
  if (leader === undefined || (stat.session !== leader.pid && stat.group !== leader.pid)) return false;
  // The number of a leader is not given away while its session lasts; a process that has it is the leader, or a stranger's.
  const holder = table.get(leader.pid)?.stat;
  return holder === undefined || holder.startTime === leader.startTime;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself, or is not ours to end.
  }
}
