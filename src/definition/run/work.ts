// One thing that was asked of a plugin, from its start to its one end: whatever comes first of an answer, a failure, its time limit,
// the caller who gives it up, and the end of the plugin.
import type { Expiring } from '../../base/deadlines.ts';
import { DEFAULT_FRAME_LIMIT } from '../../base/limits.ts';
import type { RunningCall } from '../backend.ts';
import type { Answer, AnswerContent, CallEvent, CallFailure, CallSink } from '../outcome.ts';

export class Work implements RunningCall, Expiring {
  /** Who was asked for what, to begin a sentence with. */
  readonly what: string;
  readonly deadline: number;
  readonly #sink: CallSink;
  readonly #onEnd: (work: Work) => void;
  #abort: AbortController | undefined;
  #stopped: CallFailure | undefined;
  #isOver = false;
  #streamed: string | undefined;

  constructor(what: string, deadline: number, sink: CallSink, onEnd: (work: Work) => void) {
    this.what = what;
    this.deadline = deadline;
    this.#sink = sink;
    this.#onEnd = onEnd;
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

  /** False when it is over, and nobody hears it. */
  event(event: CallEvent): boolean {
    if (this.#isOver) return false;
    if (event.kind === 'text') {
      const streamed = (this.#streamed ?? '') + event.text;
      if (streamed.length > DEFAULT_FRAME_LIMIT) {
        this.stop({
          code: 'INTERNAL',
          message: `${this.what} streamed more than ${DEFAULT_FRAME_LIMIT} characters.`,
        });
        return false;
      }
      this.#streamed = streamed;
    }
    this.#sink.event(event);
    return true;
  }

  /** Resolves when the listener can take more. */
  async drained(): Promise<void> {
    await this.#sink.drained?.();
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
    this.#onEnd(this);
    this.#sink.end(answer);
  }

  cancel(reason: string): void {
    this.stop({ code: 'CALL_CANCELLED', message: reason });
  }

  /** Fails, and tells the handler by its signal. */
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
