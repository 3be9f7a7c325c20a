// The host's side of one call: from its request on the wire to the Answer that its sink gets.
import type { Response } from '../channel/message/message.ts';
import type { Exchange } from '../channel/peer/exchange.ts';
import type { Answer, CallEvent, CallSink } from '../definition/outcome.ts';
import { unanswered } from './failure.ts';
import type { RunningCall } from '../definition/plugin-port.ts';

export interface SentCallOptions {
  /**
   * How many characters of streamed text are kept for the answer: a plugin that streams without end must not fill the memory.
   * @default 0
   */
  readonly keptText?: number;
  /** Called once, before the sink gets the answer. */
  readonly whenOver?: () => void;
}

/** A busy fleet has many of them, so it is one small object and two listeners. */
export class SentCall implements RunningCall {
  readonly sink: CallSink;
  readonly #options: SentCallOptions;
  #exchange: Exchange | undefined;
  #streamed = '';
  #isCut = false;
  #isOver = false;

  constructor(sink: CallSink, options: SentCallOptions = {}) {
    this.sink = sink;
    this.#options = options;
  }

  /** Sends the request. When that fails, the call has ended with the reason and the result is undefined. */
  send(open: () => Exchange, onResponse: (response: Response) => void): Exchange | undefined {
    try {
      const exchange = open();
      this.follow(exchange, onResponse);
      return exchange;
    } catch (thrown) {
      this.fail(thrown);
      return undefined;
    }
  }

  /** For requests that were sent in another way, such as in a batch. */
  follow(exchange: Exchange, onResponse: (response: Response) => void): void {
    this.#exchange = exchange;
    exchange.onResponse(onResponse);
    exchange.onFailure((error) => this.fail(error));
  }

  /** The text so far, up to the limit. */
  get streamed(): string {
    return this.#streamed;
  }

  event(event: CallEvent): void {
    this.sink.event(event);
  }

  warn(message: string): void {
    this.sink.event({ kind: 'log', level: 'warn', message });
  }

  stream(text: string): void {
    this.#keep(text);
    this.sink.event({ kind: 'text', text });
  }

  /** A second end is ignored. An exchange that is still open, because a notification ended the call, is settled. */
  end(answer: Answer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.whenOver?.();
    this.#exchange?.settle(undefined);
    this.sink.end(answer);
  }

  /** Ends it without an answer of the plugin; the text so far is kept. */
  fail(thrown: unknown): void {
    const error = unanswered(thrown);
    this.end(this.#streamed === '' ? { ok: false, error } : { ok: false, text: this.#streamed, error });
  }

  /** Ends it from this side; a response that still comes is counted as late. */
  giveUp(reason: Error): void {
    this.#exchange?.abandon(reason);
    this.fail(reason);
  }

  /** For dialects without a message for it: the plugin works on, and its late answer shows when it is free again. */
  cancel(): 'free' | 'occupied' {
    return this.#isOver ? 'free' : 'occupied';
  }

  #keep(text: string): void {
    const { keptText = 0 } = this.#options;
    if (this.#isCut) return;
    const room = keptText - this.#streamed.length;
    this.#isCut = text.length > room;
    this.#streamed += this.#isCut ? text.slice(0, room) : text;
    if (this.#isCut)
      this.warn(`More than ${keptText} characters were streamed; the outcome has the first of them.`);
  }
}
