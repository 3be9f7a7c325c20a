// Starts one program as the leader of its own process group and ends the whole group with it.
// The only door to node:child_process.
import { type ChildProcess, spawn as spawnProcess, type StdioOptions } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { toError } from '../../base/error.ts';
import { type ChildLike, childPipe } from '../../channel/bytes/child-pipe.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { linkedPipes } from '../../channel/bytes/stream-pipe.ts';
import { type Containment, processGroup } from './containment.ts';
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
  /** Told when nothing more comes, before `exited` resolves; later where a descendant holds stderr open. */
  readonly onStderrEnd?: () => void;
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
  /** Resolves after the exit, when nothing that the program started is left, as far as its containment can find it. */
  readonly gone: Promise<void>;
  /** The last that was printed to stderr so far. */
  stderr(): string;
  /** Whether the process was stopped, as by SIGSTOP: it does nothing then, and answers nothing. */
  isStopped(): boolean;
  /** Ends all of it: close stdin, then SIGTERM, then SIGKILL. Resolves when nothing is left. */
  stop(limits?: StopLimits): Promise<Exit>;
  /** Sends a signal to the whole group. */
  signal(signal: NodeJS.Signals): void;
}

/** What only the launcher asks for. */
export interface Surroundings {
  readonly containment?: Containment;
  /** Handed the further pipes of the program, from descriptor 3 on. */
  readonly extraPipes?: { readonly count: number; open(pipes: readonly Duplex[]): void };
}

export function spawn(
  program: Program,
  options: SpawnOptions = {},
  { containment = processGroup, extraPipes }: Surroundings = {},
): Running {
  const child = start(program, [
    'pipe',
    'pipe',
    'pipe',
    ...Array<'pipe'>(extraPipes?.count ?? 0).fill('pipe'),
  ]);
  if (child instanceof Error) return notStarted(child);
  const tail = outputTail(options.stderrLimit ?? 16 * 1024);
  child.stderr?.on('data', (chunk: Buffer) => {
    tail.push(chunk);
    options.onStderr?.(chunk);
  });
  child.stderr?.once('end', () => options.onStderrEnd?.());
  // The further pipes of a child are sockets that read and write.
  extraPipes?.open(child.stdio.slice(3) as Duplex[]);
  const { pid } = child;
  const gone = exitEventOf(child).then(() => (pid === undefined ? undefined : containment.clear(pid)));
  const asIs = seenThrough(child, containment);
  const exited = exitOf(child, asIs, () => tail.text());
  const pipe = childPipe(asIs);
  const whileAlive = <T>(action: (pid: number) => T): T | undefined =>
    // Later its number may belong to a stranger.
    pid !== undefined && child.exitCode === null && child.signalCode === null ? action(pid) : undefined;
  const signal = (signal: NodeJS.Signals) => whileAlive((pid) => containment.signal(pid, signal));
  const remember = () => whileAlive((pid) => containment.remember?.(pid));
  return {
    pid,
    pipe,
    exited,
    gone,
    stderr: () => tail.text(),
    isStopped: () => whileAlive((pid) => containment.isStopped(pid)) ?? false,
    stop: (limits) => stop({ pipe, exited, gone, signal, remember }, limits),
    signal,
  };
}

/** A program beside the plugins that is to outlive this process: in its own session, with nothing but a pipe to its stdin. */
export function spawnDetached(program: Program): ChildProcess | Error {
  const child = start(program, ['pipe', 'ignore', 'ignore']);
  if (child instanceof Error) return child;
  if (child.pid === undefined) {
    child.on('error', () => {});
    return new Error('it could not be started');
  }
  child.stdin?.on('error', () => {});
  child.unref();
  return child;
}

function start(program: Program, stdio: StdioOptions): ChildProcess | Error {
  try {
    const child = spawnProcess(program.command, program.args ?? [], {
      cwd: program.cwd,
      env: program.env,
      stdio,
      detached: true,
      windowsHide: true,
    });
    // Without a free descriptor Node makes a child without streams and tells the reason later.
    if (child.stdin) return child;
    child.on('error', () => {});
    return Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  } catch (thrown) {
    return toError(thrown);
  }
}

/** Nothing was started; all that is asked of it is answered with that. */
export function notStarted(reason: Error): Running {
  const [pipe] = linkedPipes();
  pipe.destroy({ kind: 'failed', error: reason });
  const exited = Promise.resolve({ kind: 'not-started', error: reason, stderr: '' } as const);
  return {
    pid: undefined,
    pipe,
    exited,
    gone: Promise.resolve(),
    stderr: () => '',
    isStopped: () => false,
    stop: () => exited,
    signal: () => {},
  };
}

function exitEventOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => {
      if (child.pid === undefined) resolve();
    });
  });
}

/** The child with the exit of the plugin itself: what stands between may tell it in other words. */
function seenThrough(
  child: ChildProcess,
  { exitOf }: Containment,
): ChildLike & { readonly signalCode: NodeJS.Signals | null } {
  if (exitOf === undefined) return child;
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    get exitCode() {
      return exitOf(child.exitCode, child.signalCode).exitCode;
    },
    get signalCode() {
      return exitOf(child.exitCode, child.signalCode).signal;
    },
    once: (event, listener) => child.once(event, listener),
    on: (event, listener) => child.on(event, listener),
  };
}

/** stderr may be held open by a descendant that left the group, so its end is awaited for a moment only. */
const STDERR_GRACE_MS = 200;

function exitOf(
  child: ChildProcess,
  asIs: { readonly exitCode: number | null; readonly signalCode: NodeJS.Signals | null },
  stderr: () => string,
): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ kind: 'not-started', error, stderr: '' });
    });
    child.once('exit', () => {
      const settle = () =>
        resolve({ kind: 'exited', exitCode: asIs.exitCode, signal: asIs.signalCode, stderr: stderr() });
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
  {
    pipe,
    exited,
    gone,
    signal,
    remember,
  }: Pick<Running, 'pipe' | 'exited' | 'gone' | 'signal'> & { remember: () => void },
  { stdinMs = 2000, termMs = 2000 }: StopLimits = {},
): Promise<Exit> {
  remember();
  // Not awaited: a program that does not read would hold the end back, and the ladder is the limit of that wait.
  void pipe.finish();
  if (!(await within(exited, stdinMs))) {
    remember();
    signal('SIGTERM');
    // A stopped process takes SIGTERM only once it runs again.
    signal('SIGCONT');
    if (!(await within(exited, termMs))) {
      remember();
      signal('SIGKILL');
    }
  }
  await gone;
  return exited;
}

async function within(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, limitMs, false);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
