// Starts one program as the leader of its own process group and ends the whole group with it.
// The only door to node:child_process.
import { type ChildProcess, spawn as spawnProcess, type StdioOptions } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Duplex, PassThrough } from 'node:stream';
import { toError } from '../../base/error.ts';
import { sentence } from '../../base/sentence.ts';
import { type ChildLike, childPipe } from '../../channel/bytes/child-pipe.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { linkedPipes } from '../../channel/bytes/stream-pipe.ts';
import { type Containment, processGroup } from './containment.ts';
import { leftoversOf, removeFolder } from './folders.ts';
import { outputTail } from './output-tail.ts';

export interface Program {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the program; nothing of this process's own is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** It makes a PID namespace of its own that ends with its parent, and waits on descriptor 3 until the host lets it go. */
  readonly ownNamespace?: true;
  /** Set on a confined program, which can be started by this alone: its command does nothing by itself. */
  readonly enclosure?: Enclosure;
  /** What it is to see at the place of these files, whatever stands there; in a namespace alone. */
  readonly checked?: readonly CheckedFile[];
}

export interface CheckedFile {
  readonly file: string;
  readonly bytes: Buffer;
  /** The permission bits. */
  readonly mode: number;
}

/** What is done around the start and the end of a confined program. */
export interface Enclosure {
  /**
   * @param folder of its own; removed when the program is gone
   * @param record told of folders before they are made: they are removed, if they are empty, when the program is gone, even if the host is killed
   * @throws Error when the program cannot be confined
   */
  enter(folder: string, record: (folders: readonly string[]) => void): Entered;
}

export interface Entered {
  readonly program: Program;
  /** Called when the program and all it started are gone. What it returns is added to the stderr of the program. */
  leave(): Promise<string>;
}

export interface SpawnOptions {
  /**
   * The descriptor that the program reads from, or nothing.
   * @default what is written to its pipe
   */
  readonly input?: number | 'nothing';
  /**
   * The descriptor that it prints to.
   * @default its pipe
   */
  readonly output?: number;
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
  /**
   * Called when it has answered, so that it has read the files it is started from.
   * @throws PluglotError NOT_TRUSTED, as a rejection, when they were exchanged since they were checked
   */
  confirm?(): Promise<void>;
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
  {
    containment = processGroup,
    extraPipes = program.ownNamespace ? namespacePipes(true) : undefined,
  }: Surroundings = {},
): Running {
  if (program.enclosure !== undefined) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-'));
    return spawnEnclosed(
      program.enclosure,
      folder,
      (entered) => spawn(entered, options, { containment }),
      options,
    );
  }
  const stdio = [
    options.input === 'nothing' ? 'ignore' : (options.input ?? 'pipe'),
    options.output ?? 'pipe',
    'pipe',
    ...Array<'pipe'>(extraPipes?.count ?? 0).fill('pipe'),
  ] satisfies StdioOptions;
  const child = program.ownNamespace ? startCovered(program, stdio) : start(program, stdio);
  if (child instanceof Error) return notStarted(child);
  const tail = outputTail(options.stderrLimit ?? 16 * 1024);
  child.stderr?.on('data', (chunk: Buffer) => {
    tail.push(chunk);
    options.onStderr?.(chunk);
  });
  child.stderr?.once('end', () => options.onStderrEnd?.());
  // The further pipes of a child are sockets that read and write.
  extraPipes?.open(child.stdio.slice(3, 3 + extraPipes.count) as Duplex[]);
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

/** Enters, starts what is inside, and cleans up when it is gone. */
export function spawnEnclosed(
  enclosure: Enclosure,
  folder: string,
  start: (program: Program) => Running,
  { onStderr }: SpawnOptions = {},
): Running {
  const leftovers = leftoversOf(folder);
  let entered: Entered;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    entered = enclosure.enter(folder, (folders) => leftovers.record(folders));
  } catch (thrown) {
    void leftovers.remove().then(() => removeFolder(folder));
    return notStarted(toError(thrown));
  }
  const running = start(entered.program);
  const gone = running.gone.then(async () => {
    const notes = await entered.leave().catch((thrown: unknown) => notTakenOver(toError(thrown)));
    if (notes !== '') onStderr?.(Buffer.from(notes));
    await leftovers.remove();
    await removeFolder(folder);
  });
  const stop: Running['stop'] = async (limits) => {
    const exit = await running.stop(limits);
    await gone;
    return exit;
  };
  return { ...running, gone, stop };
}

/** What the program left is its own doing: it must not harm the host. */
function notTakenOver({ message }: Error): string {
  return `pluglot: What the program changed in the repository was not taken over: ${sentence(message)}\n`;
}

/**
 * Holds a program in a namespace back until the host has answered it. bubblewrap asks to be ended with the host only some time after its
 * start; a host that ended before would leave the program behind. What asks here starts last: if it is answered, all is in place.
 */
export const START_GATE = 'echo >&3 && read -r word <&3 && exec 3<&- && exec "$@"';

/** The gate, where there is one, then a pipe for each checked file. */
export function namespacePipes(
  hasGate: boolean,
  checked: readonly CheckedFile[] = [],
): NonNullable<Surroundings['extraPipes']> {
  return {
    count: (hasGate ? 1 : 0) + checked.length,
    open(pipes) {
      for (const pipe of pipes) pipe.on('error', () => {});
      const [gate, ...rest] = hasGate ? pipes : [undefined, ...pipes];
      gate?.once('data', () => gate.end('go\n'));
      for (const [index, { bytes }] of checked.entries()) rest[index]?.end(bytes);
    },
  };
}

/** Options of bubblewrap that put them in the place of the files. */
export function checkedArguments(checked: readonly CheckedFile[] = [], hasGate = true): string[] {
  return checked.flatMap(({ file, mode }, index) => [
    '--perms',
    (mode & 0o777).toString(8).padStart(4, '0'),
    '--ro-bind-data',
    String((hasGate ? 4 : 3) + index),
    file,
  ]);
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

/** What this process was given itself by its parent would be handed on, and nobody knows where that leads. */
function startCovered(program: Program, given: Exclude<StdioOptions, string>): ChildProcess | Error {
  const inherited = inheritedDescriptors().filter((descriptor) => descriptor >= given.length);
  if (inherited.length === 0) return start(program, given);
  const nothing = fs.openSync('/dev/null', 'r+');
  try {
    const stdio = [...given];
    for (const descriptor of inherited) {
      while (stdio.length < descriptor) stdio.push('ignore');
      stdio[descriptor] = nothing;
    }
    return start(program, stdio);
  } finally {
    fs.closeSync(nothing);
  }
}

const CLOSED_ON_START = 0o2_000_000;

function inheritedDescriptors(): number[] {
  try {
    return fs
      .readdirSync('/proc/self/fdinfo')
      .map(Number)
      .filter(isHandedOn)
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

function isHandedOn(descriptor: number): boolean {
  try {
    const info = fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1');
    const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '0', 8);
    return Math.floor(flags / CLOSED_ON_START) % 2 === 0;
  } catch {
    // It was the one that the list was read by.
    return false;
  }
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
    if (child.stdin ?? child.stderr) return child;
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
  if (exitOf === undefined && child.stdin !== null && child.stdout !== null) return child;
  const seen = () => exitOf?.(child.exitCode, child.signalCode);
  return {
    pid: child.pid,
    // One that reads from elsewhere cannot be written to, and one that prints elsewhere is not heard.
    stdin: child.stdin ?? new PassThrough().end(),
    stdout: child.stdout ?? new PassThrough().end(),
    get exitCode() {
      return (seen() ?? child).exitCode;
    },
    get signalCode() {
      const { signal = child.signalCode } = seen() ?? {};
      return signal;
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
