// A pipe over a child process's stdio, whose ending carries how the child ended.
import type { Readable, Writable } from 'node:stream';
import { readableIncoming, type Incoming } from './incoming.ts';
import { Outgoing } from './outgoing.ts';
import type { Ending, Pipe, PipeOptions, PipeReader } from './pipe.ts';
import { JoinedPipe } from './stream-pipe.ts';

/** The part of a ChildProcess that a pipe needs. */
export interface ChildLike {
  /** Undefined when the program could not be started. */
  readonly pid?: number | undefined;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  once(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Exit and the end of stdout come within moments of each other, in any order; this long one waits for the other. */
const GRACE_MS = 200;

/**
 * How many chunks after the exit make it wait anew. What the child itself left in the pipe is less than that;
 * a grandchild that goes on printing must not put off the ending for ever.
 */
const LATE_CHUNKS_MAX = 32;

export function childPipe(child: ChildLike, options?: PipeOptions): Pipe {
  if (child.stdin === null || child.stdout === null) {
    throw new TypeError("childPipe() needs a child spawned with stdio 'pipe' for stdin and stdout.");
  }
  return new JoinedPipe(new ChildIncoming(child, child.stdout), new Outgoing(child.stdin, options));
}

/** Reads stdout. Its end and the exit of the child wait for each other, but not for ever. */
class ChildIncoming implements Incoming, PipeReader {
  readonly #child: ChildLike;
  readonly #stdout: Readable;
  readonly #incoming: Incoming;
  #reader: PipeReader | undefined;
  #paused = false;
  /** Why the program could not be started. */
  #startError: Error | undefined;
  #stdoutEnded: Ending | undefined;
  #grace: NodeJS.Timeout | undefined;
  #lateChunks = 0;

  constructor(child: ChildLike, stdout: Readable) {
    this.#child = child;
    this.#stdout = stdout;
    this.#incoming = readableIncoming(stdout);
    child.once('exit', () => this.#exited());
    child.on('error', (error) => this.#failed(error));
  }

  open(reader: PipeReader): void {
    this.#reader = reader;
    this.#incoming.open(this);
    if (!this.#paused) this.#incoming.resume();
    if (exitOf(this.#child) !== undefined) this.#startGrace();
  }

  pause(): void {
    this.#paused = true;
    this.#incoming.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#reader !== undefined) this.#incoming.resume();
  }

  destroy(): void {
    clearTimeout(this.#grace);
    this.#reader = undefined;
    this.#incoming.destroy();
  }

  data(chunk: Buffer): void {
    if (this.#grace !== undefined && this.#lateChunks < LATE_CHUNKS_MAX) {
      this.#lateChunks += 1;
      this.#grace.refresh();
    }
    this.#reader?.data(chunk);
  }

  end(ending: Ending): void {
    this.#stdoutEnded ??= ending;
    if (this.#startError === undefined && exitOf(this.#child) === undefined) this.#startGrace();
    else this.#report();
  }

  #exited(): void {
    if (this.#stdoutEnded !== undefined) {
      this.#report();
      return;
    }
    this.#startGrace();
    // Node sets the streams of a child that exited flowing, wanted or not; it does so in the next tick.
    process.nextTick(() => {
      process.nextTick(() => {
        // Nor may anything be lost before it is opened.
        if (this.#paused || this.#reader === undefined) this.#stdout.pause();
      });
    });
  }

  #failed(error: Error): void {
    // With a process there, it is about a signal or a message that could not be sent: that ends nothing.
    if (this.#child.pid !== undefined) return;
    this.#startError = error;
    this.#report();
  }

  #startGrace(): void {
    if (this.#reader !== undefined) this.#grace ??= setTimeout(() => this.#graceOver(), GRACE_MS);
  }

  #graceOver(): void {
    // A grandchild can hold stdout open after the exit. What the child itself wrote is read first, however slow the reader.
    if (this.#stdoutEnded !== undefined) this.#report();
    else if (this.#paused) this.#grace?.refresh();
    else this.#reportUnlessMoreComes();
  }

  /** In a process that was busy all the time, nothing has been read since the exit: timers come before input. One more look is due. */
  #reportUnlessMoreComes(): void {
    const before = this.#lateChunks;
    setImmediate(() => {
      if (this.#lateChunks === before) this.#report();
    });
  }

  #report(): void {
    clearTimeout(this.#grace);
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.end(this.#ending());
  }

  #ending(): Ending {
    if (this.#startError !== undefined) return { kind: 'failed', error: this.#startError };
    return exitOf(this.#child) ?? this.#stdoutEnded ?? { kind: 'ended' };
  }
}

function exitOf(child: ChildLike): Ending | undefined {
  if (child.exitCode === null && child.signalCode === null) return undefined;
  return { kind: 'exited', exitCode: child.exitCode, signal: child.signalCode };
}
