// What Linux tells of processes in /proc. Elsewhere there is nothing to read, and nobody is found.
import fs from 'node:fs';

export interface ProcessStat {
  readonly pid: number;
  /** `over`: it has ended, and is a zombie until its parent asks for its exit code. */
  readonly state: 'alive' | 'stopped' | 'over';
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the boot: with the pid, the identity of a process. */
  readonly startTime: string;
}

export function readStat(pid: number): ProcessStat | undefined {
  const text = readProc(`/proc/${pid}/stat`, 1024)?.toString('latin1');
  if (text === undefined) return undefined;
  // The name stands in parentheses and may hold anything, parentheses and spaces included.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = 'X', parent, group, session] = fields;
  return {
    pid,
    state: stateOf(state),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: fields[19] ?? '',
  };
}

/** All processes, as far as they can be seen. */
export function readStats(): ProcessStat[] {
  try {
    return listPids().flatMap((pid) => readStat(pid) ?? []);
  } catch {
    return [];
  }
}

/** Adds all that descends from the members to them. */
export function addDescendants(members: Set<ProcessStat>, stats: readonly ProcessStat[]): void {
  const pids = new Set([...members].map(({ pid }) => pid));
  for (let before = -1; before < pids.size;) {
    before = pids.size;
    for (const stat of stats) {
      if (pids.has(stat.pid) || !pids.has(stat.parent)) continue;
      pids.add(stat.pid);
      members.add(stat);
    }
  }
}

/**
 * The numbers of all processes there are; empty where the system does not tell.
 * @throws Error when it could not be asked, for want of a free file descriptor
 */
export function listPids(): number[] {
  if (!fs.existsSync('/proc/self/stat')) return [];
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** The value of a variable in the environment a process was started with; undefined as well when it may not be read. */
export function environmentVariable(pid: number, name: string): string | undefined {
  const bytes = readProc(`/proc/${pid}/environ`, 3072);
  if (bytes === undefined) return undefined;
  const key = `${name}=`;
  for (let at = bytes.indexOf(key); at !== -1; at = bytes.indexOf(key, at + 1)) {
    if (at > 0 && bytes[at - 1] !== 0) continue;
    const end = bytes.indexOf(0, at);
    return bytes.toString('utf8', at + key.length, end === -1 ? bytes.length : end);
  }
  return undefined;
}

/** A process that cannot be mistaken for a later one of the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.startTime === startTime && stat.state !== 'over';
}

function stateOf(letter: string): ProcessStat['state'] {
  if (letter === 'T' || letter === 't') return 'stopped';
  return letter === 'Z' || letter === 'X' || letter === 'x' ? 'over' : 'alive';
}

/** These files tell no size, for which readFileSync would take 64 KiB of memory each time. */
function readProc(file: string, expectedSize: number): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(file, 'r');
    let buffer = Buffer.allocUnsafe(expectedSize);
    let size = 0;
    for (let read = -1; read !== 0;) {
      if (size === buffer.length) buffer = Buffer.concat([buffer], size * 2);
      read = fs.readSync(descriptor, buffer, size, buffer.length - size, null);
      size += read;
    }
    return buffer.subarray(0, size);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}
