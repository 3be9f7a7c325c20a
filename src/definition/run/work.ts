// One thing that was asked of a plugin, from its start to its one end: whatever comes first of an answer, a failure, its time limit,
// the caller who gives it up, and the end of the plugin.
import type { Expiring } from '../../base/clock.ts';
import { DEFAULT_FRAME_LIMIT } from '../../base/units.ts';
import type { RunningCall } from '../plugin-port.ts';
import type { Answer, AnswerContent, CallEvent, CallFailure, CallSink } from '../outcome.ts';

export interface WorkOptions {
  /** Who was asked for what, to begin a sentence with. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly startedAt: number;
  readonly sink: CallSink;
  readonly onEnd: () => void;
}

export class Work implements RunningCall, Expiring {
  readonly what: string;
  readonly deadline: number;
  readonly #options: WorkOptions;
  #abort: AbortController | undefined;
  /** For handlers that wait for the sink. */
  #wakers: Set<() => void> | undefined;
  #stopped: CallFailure | undefined;
  #isOver = false;
  #streamed: string | undefined;

  constructor(options: WorkOptions) {
    this.what = options.what;
    this.deadline = options.startedAt + options.timeoutMs;
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Most handlers never look at it, and one for each call would cost. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#stopped !== undefined) this.#abort.abort(reasonOf(this.#stopped));
    }
    return this.#abort.signal;
  }

  /** False when the call is over. */
  event(event: CallEvent): boolean {
    if (this.#isOver) return false;
    if (event.kind === 'text') {
      const streamed = (this.#streamed ?? '') + event.text;
      // It is all kept for the answer.
      if (streamed.length > DEFAULT_FRAME_LIMIT) {
        const message = `${this.what} streamed more than ${DEFAULT_FRAME_LIMIT} characters, which is all that an answer can hold.`;
        this.stop({ code: 'INTERNAL', message });
        return false;
      }
      this.#streamed = streamed;
    }
    this.#options.sink.event(event);
    return true;
  }

  /** Resolves when the listener can take more, or will never take any. */
  async drained(): Promise<void> {
    const drained = this.#isOver ? undefined : this.#options.sink.drained?.();
    if (drained === undefined) return;
    const wakers = (this.#wakers ??= new Set());
    // No Promise.race with the end: each would stay referenced until then, and a stream may have very many pieces.
    await new Promise<void>((resolve) => {
      const wake = () => {
        wakers.delete(wake);
        resolve();
      };
      wakers.add(wake);
      // It rejects when the connection has ended.
      drained.then(wake, wake);
    });
  }

  succeed(content: AnswerContent): void {
    this.end({ ok: true, ...this.#withStreamed(content) });
  }

  fail(error: CallFailure, partial: AnswerContent = {}): void {
    this.end({ ok: false, ...this.#withStreamed(partial), error });
  }

  /** As it is: with all the text that was streamed. */
  end(answer: Answer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onEnd();
    for (const wake of this.#wakers ?? []) wake();
    this.#options.sink.end(answer);
  }

  cancel(reason: string): 'free' {
    this.stop({ code: 'CALL_CANCELLED', message: reason });
    return 'free';
  }

  expire(): void {
    const seconds = this.#options.timeoutMs / 1000;
    this.stop({
      code: 'TIMEOUT',
      message: `${this.what} took longer than its limit of ${seconds} s.`,
      // As in `failures.timeout`: the limit may be the tool's own, which only it knows.
      data: { timeout_sec: seconds },
    });
  }

  /** Fails, and notifies the handler by its signal. */
  stop(failure: CallFailure): void {
    if (this.#isOver) return;
    this.#stopped = failure;
    this.fail(failure);
    this.#abort?.abort(reasonOf(failure));
  }

  #withStreamed(content: AnswerContent): AnswerContent {
    if (this.#streamed === undefined) return content;
    return { ...content, text: this.#streamed + (content.text ?? '') };
  }
}

function reasonOf({ message }: CallFailure): DOMException {
  return new DOMException(message, 'AbortError');
}
