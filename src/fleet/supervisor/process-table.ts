// Processes from Linux's /proc. On other systems none is found.
import fs from 'node:fs';

export interface ProcessStat {
  readonly pid: number;
  /** `over`: ended, and a zombie until its parent reads the exit code. */
  readonly state: 'alive' | 'stopped' | 'over';
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the boot: with the pid, the identity of a process. */
  readonly startTime: string;
}

/** Of this start of the machine; empty where the system does not say. */
export function bootId(): string {
  return readProc('/proc/sys/kernel/random/boot_id', 64)?.toString('latin1').trim() ?? '';
}

export function readStat(pid: number): ProcessStat | undefined {
  const text = readProc(`/proc/${pid}/stat`, 1024)?.toString('latin1');
  if (text === undefined) return undefined;
  // The name is in parentheses and may contain anything, also parentheses and spaces.
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

/** All visible processes. */
export function readStats(): ProcessStat[] {
  try {
    return listPids().flatMap((pid) => readStat(pid) ?? []);
  } catch {
    return [];
  }
}

/** Adds all descendants of the members. */
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
 * The pids of all processes; empty on systems without /proc.
 * @throws Error when no file descriptor is free
 */
export function listPids(): number[] {
  if (!fs.existsSync('/proc/self/stat')) return [];
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** A variable of the environment that a process was started with; also undefined if it may not be read. */
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

/** Identifies a process, also against a later one with the same pid. */
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

/** These files report no size, so readFileSync would allocate 64 KiB each time. */
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
