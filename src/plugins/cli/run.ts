// One running command line: its processes, its time limit, and its output, of which the beginning and the end are kept.
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/async.ts';
import { toError } from '../../base/error.ts';
import type { ExecutionStep } from '../../definition/caller.ts';
import { openPipes, spawnPipeline, type SystemPipe } from '../../fleet/supervisor/pipeline.ts';
import type { Exit, Program, Running } from '../../fleet/supervisor/spawn.ts';
import type { HostPorts } from '../host-ports.ts';

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

/** Programs connected by pipes, searched when the step starts. */
export interface RunStep {
  readonly after: ExecutionStep['after'];
  readonly programs: () => readonly (Program | NotRun)[];
}

/** A program that cannot be started: the message and exit code of a shell. */
export interface NotRun {
  readonly exitCode: 126 | 127;
  readonly message: string;
}

/** Gets output as it is printed. */
export interface OutputListener {
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Why it was stopped. */
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
  /** The step that runs, or ran last; undefined before the first. */
  #running: Running | undefined;
  readonly #started = deferred<boolean>();
  readonly #startedAt: number;
  #endedAt: number | undefined;
  #stopping: Promise<unknown> | undefined;
  /** The last process has ended; output may still arrive. */
  #isOver = false;

  constructor(options: RunOptions, listener?: OutputListener) {
    const { clock, timeoutMs, maxOutputChars } = options;
    this.options = options;
    this.#listener = listener;
    this.stdout = keptOutput(maxOutputChars);
    this.stderr = keptOutput(maxOutputChars);
    this.#startedAt = clock.now();
    const callOff =
      timeoutMs === undefined ? () => {} : clock.after(timeoutMs, () => void this.stop('timed_out'));
    this.ended = this.#see().finally(callOff);
  }

  /** Whether a process was started; when not, `exit` has the reason. */
  get isStarted(): Promise<boolean> {
    return this.#started.promise;
  }

  get durationMs(): number {
    return (this.#endedAt ?? this.options.clock.now()) - this.#startedAt;
  }

  /** Ends the listener; further output is only kept. */
  stopListening(): void {
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
        // No await for a single program: a teardown finds the process, or it is not started.
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
    this.#started.resolve(false);
    this.#isOver = true;
    this.#emit('stdout', this.stdout.end());
    this.#emit('stderr', this.stderr.end());
    this.#endedAt = this.options.clock.now();
    this.exit = exit;
  }

  #begin(members: readonly (Program | NotRun)[], pipes: readonly SystemPipe[]): Begun {
    for (const one of members)
      if ('message' in one) this.#emit('stderr', this.stderr.push(Buffer.from(`${one.message}\n`)));
    const running = spawnPipeline(
      members.map((one) => ('message' in one ? new Error(one.message) : one)),
      pipes,
      this.options.spawn,
      // All that came is kept here, within limits of its own.
      { stderrLimit: 0, onStderr: (chunk) => this.#emit('stderr', this.stderr.push(chunk)) },
    );
    this.#running = running;
    this.#started.resolve(running.pid !== undefined);
    const last = members.at(-1);
    return { running, notRun: last !== undefined && 'message' in last ? last : undefined };
  }

  async #endOf({ running, notRun }: Begun, isLast: boolean): Promise<Exit> {
    const stdoutEnded = deferred<void>();
    running.pipe.open({
      data: (chunk) => this.#emit('stdout', this.stdout.push(chunk)),
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

  #emit(stream: 'stdout' | 'stderr', text: string): void {
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

interface KeptOutput {
  /** Returns the chunk as text; an incomplete character comes with the next chunk. */
  push(chunk: Buffer): string;
  /** Ends the input; returns the rest of an incomplete character. */
  end(): string;
  /** The kept output, with a line where something was left out. */
  text(): string;
  /** What is missing in `text`, as a sentence without its subject; undefined when it is complete. */
  readonly shortage: string | undefined;
}

export function keptOutput(maxChars: number): KeptOutput {
  const decoder = new StringDecoder('utf8');
  const headLimit = Math.ceil(maxChars / 2);
  const tailLimit = maxChars - headLimit;
  let head = '';
  let tail = '';
  /** Of all that came. */
  let chars = 0;
  let bytes = 0;
  let unreadable = 0;

  const take = (text: string): string => {
    chars += text.length;
    unreadable += countUnreadable(text);
    // Once the tail has text, the head is complete: the order must stay.
    const forHead = tail === '' ? wholeStart(text, headLimit - head.length) : '';
    head += forHead;
    tail += text.slice(forHead.length);
    // Cutting at twice the limit copies each character a constant number of times, however small the pieces.
    if (tail.length > 2 * tailLimit + 1) tail = tail.slice(tail.length - tailLimit - 1);
    return text;
  };
  const shownTail = () => (chars <= maxChars ? tail : wholeEnd(tail, tailLimit));

  return {
    push(chunk) {
      bytes += chunk.length;
      return take(decoder.write(chunk));
    },
    end: () => take(decoder.end()),
    text() {
      if (isBinary(unreadable, chars)) return `[${bytes} bytes of binary data]`;
      const end = shownTail();
      const omitted = chars - head.length - end.length;
      return omitted === 0 ? head + end : `${head}\n[… ${omitted} characters left out …]\n${end}`;
    },
    get shortage() {
      if (isBinary(unreadable, chars))
        return `had ${bytes} bytes of binary data. Write them to a file instead, or look at them with a tool such as file or xxd.`;
      const end = shownTail();
      if (head.length + end.length === chars) return undefined;
      return `had ${chars} characters; the first ${head.length} and the last ${end.length} are given. Narrow the command, for example with grep, head or tail, or write its output to a file.`;
    },
  };
}

/** Whether decoded bytes were not text: invalid UTF-8 was replaced. A few such places are text in an old encoding. */
export function isBinaryText(text: string): boolean {
  return isBinary(countUnreadable(text), text.length);
}

function isBinary(unreadable: number, chars: number): boolean {
  return unreadable > 8 && unreadable * 10 > chars;
}

const REPLACEMENT = '\uFFFD';

function countUnreadable(text: string): number {
  let count = 0;
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, at + 1)) count += 1;
  return count;
}

/** So much of the beginning that no character outside of the basic plane is cut in two. */
function wholeStart(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, length > 0 && isHighSurrogate(text, length - 1) ? length - 1 : length);
}

function wholeEnd(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return text.slice(start > 0 && isHighSurrogate(text, start - 1) ? start + 1 : start);
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
