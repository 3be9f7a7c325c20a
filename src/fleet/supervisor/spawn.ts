// A running program: started as the leader of its own process group, and stopped with all its descendants.
import type { ChildProcess, StdioOptions } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { toError } from '../../base/error.ts';
import { late, within } from '../../base/async.ts';
import { systemClock } from '../../base/clock.ts';
import { sentence } from '../../base/text.ts';
import { childPipe } from '../../channel/bytes/child-pipe.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { linkedPipes } from '../../channel/bytes/stream-pipe.ts';
import {
  type Command,
  exitEventOf,
  outputTail,
  startChild,
  startWithoutInherited,
  withPluginExit,
} from './child-process.ts';
import {
  type CheckedFile,
  type Containment,
  type ExtraPipes,
  namespacePipes,
  processGroup,
} from './containment.ts';
import { leftoversOf, removeFolder } from './folders.ts';

export interface Program extends Command {
  /** It creates a PID namespace of its own that ends with its parent, and waits on descriptor 3 until the host releases it. */
  readonly ownNamespace?: true;
  /** Set on a confined program, which only this can start: its command alone does nothing. */
  readonly enclosure?: Enclosure;
  /** The bytes that it sees in place of these files; only in a namespace. */
  readonly checked?: readonly CheckedFile[];
}

/** Runs before the start and after the end of a confined program. */
export interface Enclosure {
  /**
   * @param folder of its own; removed when the program is gone
   * @param record called with folders before they are created: empty ones are removed when the program is gone, even if the host is killed
   * @throws Error when the program cannot be confined
   */
  enter(folder: string, record: (folders: readonly string[]) => void): Entered;
}

export interface Entered {
  readonly program: Program;
  /** Called when the program and its descendants are gone. The returned text is added to its stderr. */
  leave(): Promise<string>;
}

export interface SpawnOptions {
  /**
   * The descriptor that the program reads from, or nothing.
   * @default its pipe
   */
  readonly input?: number | 'nothing';
  /**
   * The descriptor that it prints to.
   * @default its pipe
   */
  readonly output?: number;
  /**
   * How many bytes of stderr are kept for error reports.
   * @default 16 KiB
   */
  readonly stderrLimit?: number;
  /** Called with each chunk of stderr. */
  readonly onStderr?: (chunk: Buffer) => void;
  /** Called at the end of stderr, before `exited` resolves; later if a descendant holds stderr open. */
  readonly onStderrEnd?: () => void;
}

/** How a process ended, with the end of its stderr. */
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
  /** Undefined if the program could not be started; `exited` has the reason. */
  readonly pid: number | undefined;
  readonly pipe: Pipe;
  /** Resolves after the exit and the end of stderr. */
  readonly exited: Promise<Exit>;
  /** Resolves after the exit, when all descendants that the containment can find have ended. */
  readonly gone: Promise<void>;
  /** The end of stderr so far. */
  stderr(): string;
  /** Whether the process is stopped, for example by SIGSTOP. */
  isStopped(): boolean;
  /** Closes stdin, then sends SIGTERM, then SIGKILL. Resolves when all descendants have ended. */
  stop(limits?: StopLimits): Promise<Exit>;
  /** Sends a signal to the whole group. */
  signal(signal: NodeJS.Signals): void;
  /**
   * Called after its first response: by then it has read the files it is started from.
   * @throws PluglotError NOT_TRUSTED, as a rejection, when they changed since they were checked
   */
  confirm?(): Promise<void>;
}

/** For the launcher alone. */
interface LauncherOptions {
  readonly containment?: Containment;
  readonly extraPipes?: ExtraPipes;
}

export function spawn(
  program: Program,
  options: SpawnOptions = {},
  {
    containment = processGroup,
    extraPipes = program.ownNamespace ? namespacePipes(true) : undefined,
  }: LauncherOptions = {},
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
  const child = program.ownNamespace ? startWithoutInherited(program, stdio) : startChild(program, stdio);
  if (child instanceof Error) return notStarted(child);
  const tail = outputTail(options.stderrLimit ?? 16 * 1024);
  child.stderr?.on('data', (chunk: Buffer) => {
    tail.push(chunk);
    options.onStderr?.(chunk);
  });
  child.stderr?.once('end', () => options.onStderrEnd?.());
  // The extra pipes of a child are duplex sockets.
  extraPipes?.open(child.stdio.slice(3, 3 + extraPipes.count) as Duplex[]);
  const { pid } = child;
  const gone = exitEventOf(child).then(() => (pid === undefined ? undefined : containment.clear(pid)));
  const asIs = withPluginExit(child, containment);
  const exited = exitOf(child, asIs, () => tail.text());
  const pipe = childPipe(asIs);
  const whileAlive = <T>(action: (pid: number) => T): T | undefined =>
    // Later its pid may belong to another process.
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

/** Enters the enclosure, starts the program, and cleans up when it is gone. */
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

/** An error caused by files that the program left must not harm the host. */
function notTakenOver({ message }: Error): string {
  return `pluglot: The program's changes to the repository were not applied: ${sentence(message)}\n`;
}

/** For a program that could not be started. */
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

/** A descendant that left the group may hold stderr open, so its end is awaited only briefly. */
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
  // Not awaited: a program that does not read would delay it, and the ladder limits that wait.
  void pipe.finish();
  if ((await within(exited, stdinMs, systemClock)) === late) {
    remember();
    signal('SIGTERM');
    // A stopped process handles SIGTERM only when it continues.
    signal('SIGCONT');
    if ((await within(exited, termMs, systemClock)) === late) {
      remember();
      signal('SIGKILL');
    }
  }
  await gone;
  return exited;
}
