// One command at work: its process, its time limit, and what it printed so far.
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import type { Exit, Program, Running } from '../../fleet/supervisor/spawn.ts';
import type { HostPorts } from '../host-ports.ts';
import { keptOutput, type KeptOutput } from './kept-output.ts';

export interface RunOptions {
  readonly spawn: HostPorts['spawn'];
  readonly clock: Clock;
  readonly program: Program;
  /** As it was asked for, for people. */
  readonly commandLine: string;
  readonly startedAt: Date;
  /** Undefined: until it ends by itself. */
  readonly timeoutMs: number | undefined;
  readonly maxOutputChars: number;
}

/** Hears what is printed as it comes. */
export interface OutputListener {
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Why it did not end by itself. */
export type StopReason = 'cancelled' | 'timed_out';

/** From SIGTERM to SIGKILL. The teardown of a plugin has 5 s for all of it. */
const TERM_MS = 2000;

export class Run {
  readonly options: RunOptions;
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
  /** Resolves when the process and all it started are gone, and what they printed is read. */
  readonly ended: Promise<void>;
  /** Undefined while it runs. */
  exit: Exit | undefined;
  stopReason: StopReason | undefined;
  #listener: OutputListener | undefined;
  readonly #running: Running;
  readonly #begunAt: number;
  #endedAt: number | undefined;
  #stopping: Promise<Exit> | undefined;
  /** The process is; what it printed last may still be on its way. */
  #isOver = false;

  constructor(options: RunOptions, listener?: OutputListener) {
    const { spawn, clock, program, timeoutMs, maxOutputChars } = options;
    this.options = options;
    this.#listener = listener;
    this.stdout = keptOutput(maxOutputChars);
    this.stderr = keptOutput(maxOutputChars);
    this.#begunAt = clock.now();
    // All that came is kept here, within limits of its own.
    this.#running = spawn(program, {
      stderrLimit: 0,
      onStderr: (chunk) => this.#heard('stderr', this.stderr.push(chunk)),
    });
    const callOff =
      timeoutMs === undefined ? () => {} : clock.after(timeoutMs, () => void this.stop('timed_out'));
    this.ended = this.#see().finally(callOff);
  }

  /** False when the system refused; `exit` will tell why. */
  get isStarted(): boolean {
    return this.#running.pid !== undefined;
  }

  get durationMs(): number {
    return (this.#endedAt ?? this.options.clock.now()) - this.#begunAt;
  }

  /** Nobody hears what comes from now on; it is kept all the same. */
  unhear(): void {
    this.#listener = undefined;
  }

  /** Ends the command and all it started: SIGTERM, then SIGKILL. */
  async stop(reason: StopReason): Promise<void> {
    if (!this.#isOver) {
      this.stopReason ??= reason;
      this.#stopping ??= this.#running.stop({ stdinMs: 0, termMs: TERM_MS });
    }
    await this.#stopping;
    await this.ended;
  }

  async #see(): Promise<void> {
    const stdoutEnded = deferred<void>();
    this.#running.pipe.open({
      data: (chunk) => this.#heard('stdout', this.stdout.push(chunk)),
      end: () => stdoutEnded.resolve(),
    });
    // Nobody is there who could answer what it asks.
    void this.#running.pipe.finish();
    const exit = await this.#running.exited;
    this.#isOver = true;
    if (exit.kind === 'exited') await stdoutEnded.promise;
    await this.#running.gone;
    this.#heard('stdout', this.stdout.end());
    this.#heard('stderr', this.stderr.end());
    this.#endedAt = this.options.clock.now();
    this.exit = exit;
  }

  #heard(stream: 'stdout' | 'stderr', text: string): void {
    if (text !== '') this.#listener?.[stream](text);
  }
}
