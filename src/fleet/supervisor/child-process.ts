// One process of the operating system: its start, its exit and the end of its output. The only importer of node:child_process.
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import fs from 'node:fs';
import { PassThrough } from 'node:stream';
import { toError } from '../../base/error.ts';
import type { ChildLike } from '../../channel/bytes/child-pipe.ts';
import type { Containment } from './containment.ts';

export interface Command {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the program; nothing of this process's own is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts a program as the leader of a process group of its own. */
export function startChild(program: Command, stdio: StdioOptions): ChildProcess | Error {
  try {
    const child = spawn(program.command, program.args ?? [], {
      cwd: program.cwd,
      env: program.env,
      stdio,
      detached: true,
      windowsHide: true,
    });
    // Without a free descriptor Node creates a child without streams and reports the reason later.
    if (child.stdin ?? child.stderr) return child;
    child.on('error', () => {});
    return Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  } catch (thrown) {
    return toError(thrown);
  }
}

/** The same, without the descriptors that this process inherited: its parent may have opened anything there. */
export function startWithoutInherited(
  program: Command,
  given: Exclude<StdioOptions, string>,
): ChildProcess | Error {
  const inherited = inheritedDescriptors().filter((descriptor) => descriptor >= given.length);
  if (inherited.length === 0) return startChild(program, given);
  const nothing = fs.openSync('/dev/null', 'r+');
  try {
    const stdio = [...given];
    for (const descriptor of inherited) {
      while (stdio.length < descriptor) stdio.push('ignore');
      stdio[descriptor] = nothing;
    }
    return startChild(program, stdio);
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
      .filter(isInherited)
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const info = fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1');
    const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '0', 8);
    return Math.floor(flags / CLOSED_ON_START) % 2 === 0;
  } catch {
    // The descriptor that the list was read from.
    return false;
  }
}

/** Starts a program that may outlive this process: in its own session, connected by nothing but a pipe to its stdin. */
export function spawnDetached(program: Command): ChildProcess | Error {
  const child = startChild(program, ['pipe', 'ignore', 'ignore']);
  if (child instanceof Error) return child;
  if (child.pid === undefined) {
    child.on('error', () => {});
    return new Error('the program could not be started');
  }
  child.stdin?.on('error', () => {});
  child.unref();
  return child;
}

/** Resolves at the exit, or when the program could not be started. */
export function exitEventOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => {
      if (child.pid === undefined) resolve();
    });
  });
}

/** The child with the exit status of the plugin itself, where a containment program between reports another one. */
export function withPluginExit(
  child: ChildProcess,
  { exitOf }: Containment,
): ChildLike & { readonly signalCode: NodeJS.Signals | null } {
  if (exitOf === undefined && child.stdin !== null && child.stdout !== null) return child;
  const seen = () => exitOf?.(child.exitCode, child.signalCode);
  return {
    pid: child.pid,
    // With another stdin it cannot be written to, with another stdout it cannot be read.
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

/** The last bytes a process printed, in bounded memory, for error reports. */
export interface OutputTail {
  push(chunk: Uint8Array): void;
  /** The kept text; if something was dropped, it starts at the first whole line. */
  text(): string;
}

export function outputTail(limit: number): OutputTail {
  let kept: Uint8Array[] = [];
  let size = 0;
  let dropped = false;
  const join = (): Buffer => {
    const all = Buffer.concat(kept);
    dropped ||= all.length > limit;
    return all.subarray(Math.max(0, all.length - limit));
  };
  return {
    push(chunk) {
      kept.push(chunk);
      size += chunk.length;
      // Compacting at twice the limit copies each byte a constant number of times, however small the chunks.
      if (size <= 2 * limit) return;
      const tail = Buffer.from(join());
      kept = [tail];
      size = tail.length;
    },
    text() {
      const tail = join();
      return tail.subarray(dropped ? startOfLine(tail) : 0).toString('utf8');
    },
  };
}

const LF = 0x0a;

function startOfLine(bytes: Buffer): number {
  const lineEnd = bytes.indexOf(LF);
  return lineEnd === -1 || lineEnd === bytes.length - 1 ? 0 : lineEnd + 1;
}
