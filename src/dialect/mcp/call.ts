// A call under way on the wire of an MCP server: what is heard of it, until its end.
import type { Asker } from '../../definition/asker.ts';
import type { Answer, CallEvent, CallSink } from '../../definition/outcome.ts';
import type { WireCall } from '../host-dialect.ts';

export class McpCall implements WireCall {
  readonly asker: Asker | undefined;
  readonly #sink: CallSink;
  readonly #over: () => void;
  #controller: AbortController | undefined;
  /** Told why, when it is given up. */
  whenGivenUp: ((reason: string) => void) | undefined;
  #isOver = false;

  constructor(sink: CallSink, asker: Asker | undefined, over: () => void) {
    this.#sink = sink;
    this.asker = asker;
    this.#over = over;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  event(event: CallEvent): void {
    if (!this.#isOver) this.#sink.event(event);
  }

  end(answer: Answer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#over();
    this.#sink.end(answer);
  }

  cancel(reason: string): 'free' {
    if (!this.#isOver) {
      this.#controller?.abort(reason);
      this.whenGivenUp?.(reason);
      this.end({ ok: false, error: { code: 'CALL_CANCELLED', message: reason } });
    }
    return 'free';
  }
}
