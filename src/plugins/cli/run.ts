// One command line at work: its processes, its time limit, and what it printed so far.
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { toError } from '../../base/error.ts';
import type { ExecutionStep } from '../../definition/execution.ts';
import { openPipes, spawnPipeline, type SystemPipe } from '../../fleet/supervisor/pipeline.ts';
import type { Exit, Program, Running } from '../../fleet/supervisor/spawn.ts';
import type { HostPorts } from '../host-ports.ts';
import { keptOutput, type KeptOutput } from './kept-output.ts';

export interface RunOptions {
  readonly spawn: HostPorts['spawn'];
  readonly clock: Clock;
  /** At least one. */
  readonly steps: readonly RunStep[];
  /** As it was asked for, for people. */
  readonly commandLine: string;
  readonly cwd: string;
  readonly startedAt: Date;
  /** Undefined: until it ends by itself. */
  readonly timeoutMs: number | undefined;
  readonly maxOutputChars: number;
}

/** Programs connected by pipes, looked for when their turn has come. */
export interface RunStep {
  readonly after: ExecutionStep['after'];
  readonly programs: () => readonly (Program | NotRun)[];
}

/** A program that is not started: what a shell would print and end with in its place. */
export interface NotRun {
  readonly exitCode: 126 | 127;
  readonly message: string;
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
  /** Resolves when the processes and all they started are gone, and what they printed is read. */
  readonly ended: Promise<void>;
  /** Undefined while it runs. */
  exit: Exit | undefined;
  stopReason: StopReason | undefined;
  #listener: OutputListener | undefined;
  /** The step that runs, or ran last; undefined until the first is begun. */
  #running: Running | undefined;
  readonly #begun = deferred<boolean>();
  readonly #begunAt: number;
  #endedAt: number | undefined;
  #stopping: Promise<unknown> | undefined;
  /** The last process is; what it printed last may still be on its way. */
  #isOver = false;

  constructor(options: RunOptions, listener?: OutputListener) {
    const { clock, timeoutMs, maxOutputChars } = options;
    this.options = options;
    this.#listener = listener;
    this.stdout = keptOutput(maxOutputChars);
    this.stderr = keptOutput(maxOutputChars);
    this.#begunAt = clock.now();
    const callOff =
      timeoutMs === undefined ? () => {} : clock.after(timeoutMs, () => void this.stop('timed_out'));
    this.ended = this.#see().finally(callOff);
  }

  /** Whether a process was started; when not, `exit` will tell why. */
  get isStarted(): Promise<boolean> {
    return this.#begun.promise;
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
      this.#stopping ??= this.#running?.stop({ stdinMs: 0, termMs: TERM_MS });
    }
    await this.#stopping;
    await this.ended;
  }

  async #see(): Promise<void> {
    const { steps } = this.options;
    let exit: Exit = { kind: 'not-started', error: new Error('it was ended before'), stderr: '' };
    for (const [index, step] of steps.entries()) {
      if (index > 0 && !isTurn(step, exit)) continue;
      const members = step.programs();
      try {
        // Without a wait where none is needed: whoever ends the plugin finds the process, or it is not started.
        const pipes = members.length > 1 ? await openPipes(members.length - 1) : [];
        if (this.stopReason !== undefined) {
          for (const pipe of pipes) pipe.close();
          break;
        }
        exit = await this.#endOf(this.#begin(members, pipes), index === steps.length - 1);
      } catch (thrown) {
        exit = { kind: 'not-started', error: toError(thrown), stderr: '' };
      }
      if (this.stopReason !== undefined) break;
    }
    this.#begun.resolve(false);
    this.#isOver = true;
    this.#heard('stdout', this.stdout.end());
    this.#heard('stderr', this.stderr.end());
    this.#endedAt = this.options.clock.now();
    this.exit = exit;
  }

  #begin(members: readonly (Program | NotRun)[], pipes: readonly SystemPipe[]): Begun {
    for (const one of members)
      if ('message' in one) this.#heard('stderr', this.stderr.push(Buffer.from(`${one.message}\n`)));
    const running = spawnPipeline(
      members.map((one) => ('message' in one ? new Error(one.message) : one)),
      pipes,
      this.options.spawn,
      // All that came is kept here, within limits of its own.
      { stderrLimit: 0, onStderr: (chunk) => this.#heard('stderr', this.stderr.push(chunk)) },
    );
    this.#running = running;
    this.#begun.resolve(running.pid !== undefined);
    const last = members.at(-1);
    return { running, notRun: last !== undefined && 'message' in last ? last : undefined };
  }

  async #endOf({ running, notRun }: Begun, isLast: boolean): Promise<Exit> {
    const stdoutEnded = deferred<void>();
    running.pipe.open({
      data: (chunk) => this.#heard('stdout', this.stdout.push(chunk)),
      end: () => stdoutEnded.resolve(),
    });
    const exit = await running.exited;
    this.#isOver ||= isLast;
    if (exit.kind === 'exited') await stdoutEnded.promise;
    await running.gone;
    return notRun === undefined
      ? exit
      : { kind: 'exited', exitCode: notRun.exitCode, signal: null, stderr: '' };
  }

  #heard(stream: 'stdout' | 'stderr', text: string): void {
    if (text !== '') this.#listener?.[stream](text);
  }
}

interface Begun {
  readonly running: Running;
  /** In the place of the last program. */
  readonly notRun: NotRun | undefined;
}

function isTurn({ after }: RunStep, exit: Exit): boolean {
  if (after === ';') return true;
  const hasSucceeded = exit.kind === 'exited' && exit.exitCode === 0;
  return after === '&&' ? hasSucceeded : !hasSucceeded;
}
