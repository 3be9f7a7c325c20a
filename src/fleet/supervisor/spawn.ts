// Starts one program as the leader of its own process group and ends the whole group with it.
// The only door to node:child_process.
import { type ChildProcess, spawn as spawnProcess } from 'node:child_process';
import { childPipe } from '../../channel/bytes/child-pipe.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { outputTail } from './output-tail.ts';

export interface Program {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the program; nothing of this process's own is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface SpawnOptions {
  /**
   * How many bytes of stderr are kept for the report of a failure.
   * @default 16 KiB
   */
  readonly stderrLimit?: number;
  /** Sees stderr as it comes. */
  readonly onStderr?: (chunk: Buffer) => void;
}

/** How a process ended, with the last it printed to stderr. */
export type Exit =
  | {
      readonly kind: 'exited';
      readonly exitCode: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly stderr: string;
    }
  | { readonly kind: 'not-started'; readonly error: Error; readonly stderr: string };

/** How long each rung of the stop ladder waits for the exit before the next one. */
export interface StopLimits {
  /**
   * From the end of stdin to SIGTERM.
   * @default 2000
   */
  readonly stdinMs?: number;
  /**
   * From SIGTERM to SIGKILL.
   * @default 2000
   */
  readonly termMs?: number;
}

export interface Running {
  /** Undefined when the program could not be started; `exited` says why. */
  readonly pid: number | undefined;
  readonly pipe: Pipe;
  /** Resolves once, after the exit and the last of stderr. */
  readonly exited: Promise<Exit>;
  /** The last that was printed to stderr so far. */
  stderr(): string;
  /** Ends the group: close stdin, then SIGTERM, then SIGKILL. Resolves when the process is gone. */
  stop(limits?: StopLimits): Promise<Exit>;
  /** Sends a signal to the whole group. */
  signal(signal: NodeJS.Signals): void;
}

export function spawn(program: Program, options: SpawnOptions = {}): Running {
  const child = spawnProcess(program.command, program.args ?? [], {
    cwd: program.cwd,
    env: program.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  const tail = outputTail(options.stderrLimit ?? 16 * 1024);
  child.stderr.on('data', (chunk: Buffer) => {
    tail.push(chunk);
    options.onStderr?.(chunk);
  });
  const pipe = childPipe(child);
  const exited = exitOf(child, () => tail.text());
  return {
    pid: child.pid,
    pipe,
    exited,
    stderr: () => tail.text(),
    stop: (limits) => stop(child, pipe, exited, limits),
    signal: (signal) => signalGroup(child, signal),
  };
}

/** stderr may be held open by a descendant that left the group, so its end is awaited for a moment only. */
const STDERR_GRACE_MS = 200;

function exitOf(child: ChildProcess, stderr: () => string): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ kind: 'not-started', error, stderr: '' });
    });
    child.once('exit', (exitCode, signal) => {
      // What the leader started must not outlive it.
      killGroup(child.pid, 'SIGKILL');
      const settle = () => resolve({ kind: 'exited', exitCode, signal, stderr: stderr() });
      if (child.stderr?.readableEnded) return settle();
      const grace = setTimeout(settle, STDERR_GRACE_MS);
      child.stderr?.once('end', () => {
        clearTimeout(grace);
        settle();
      });
    });
  });
}

async function stop(
  child: ChildProcess,
  pipe: Pipe,
  exited: Promise<Exit>,
  { stdinMs = 2000, termMs = 2000 }: StopLimits = {},
): Promise<Exit> {
  const gone = new Promise<true>((resolve) => {
    void exited.then(() => resolve(true));
  });
  // Not awaited: a program that does not read would hold the end back, and the ladder is the limit of that wait.
  void pipe.finish();
  if (!(await within(gone, stdinMs))) {
    signalGroup(child, 'SIGTERM');
    // A stopped process takes SIGTERM only once it runs again.
    signalGroup(child, 'SIGCONT');
    if (!(await within(gone, termMs))) signalGroup(child, 'SIGKILL');
  }
  return exited;
}

async function within(gone: Promise<true>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, limitMs, false);
  });
  try {
    return await Promise.race([gone, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Only while the leader lives: later its number may belong to a stranger. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) killGroup(child.pid, signal);
}

function killGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // Nobody is left in the group.
  }
}
