// One `execute` or `input` under way, from its request to whichever message ends it first. What comes later is for nobody.
import type { ErrorCode, PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { Response } from '../../channel/message/message.ts';
import type { Answer, AnswerContent, CallSink } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { detailsIn, reasonGiven, unanswered, withoutReason, withoutSuggestions } from '../failure.ts';
import type { WireCall } from '../host-dialect.ts';
import { KeptText } from '../kept-text.ts';
import { codeOf } from './codes.ts';
import {
  completionWith,
  paramsIn,
  parseFailure,
  parseResult,
  type Completion,
  type WireFailure,
} from './schema.ts';

/** What a call needs of those around it. */
export interface CallSurroundings {
  readonly pluginName: string;
  /** How many characters of streamed text are kept for the outcome. */
  readonly keptText: number;
  warn(message: string): void;
  /** The call is over. */
  over(id: number): void;
}

export class OpenCall implements WireCall {
  readonly #kind: 'execute' | 'input';
  readonly #exchange: Exchange;
  readonly #sink: CallSink;
  readonly #around: CallSurroundings;
  readonly #streamed: KeptText;
  #isOver = false;
  #callOffAckLimit: (() => void) | undefined;

  constructor(kind: 'execute' | 'input', exchange: Exchange, sink: CallSink, around: CallSurroundings) {
    this.#kind = kind;
    this.#exchange = exchange;
    this.#sink = sink;
    this.#around = around;
    this.#streamed = new KeptText(around.keptText, (message) => around.warn(message));
    exchange.onResponse((response) => this.respond(response));
    exchange.onFailure((error) => this.fail(error));
  }

  get id(): number {
    return this.#exchange.id;
  }

  /** The protocol has no word for it: the plugin goes on until it is done. */
  cancel(): 'free' | 'occupied' {
    return this.#isOver ? 'free' : 'occupied';
  }

  /** How to stop the clock that runs until the first sign that the plugin has taken it. */
  limitAck(callOff: () => void): void {
    this.#callOffAckLimit = callOff;
  }

  acknowledge(): void {
    this.#callOffAckLimit?.();
    this.#callOffAckLimit = undefined;
  }

  stream(text: string): void {
    this.acknowledge();
    this.#streamed.add(text);
    this.#sink.event({ kind: 'text', text });
  }

  log(entry: LogEntry): void {
    this.#sink.event({ kind: 'log', ...entry });
  }

  respond(response: Response): void {
    if (response.kind === 'failure') {
      // It came out of JSON.
      return this.refuse(parseFailure({ ...response.error } as JsonObject));
    }
    const result = parseResult(response.result);
    switch (result.kind) {
      case 'complete':
        return this.complete(result.completion);
      case 'acknowledged':
        return this.acknowledge();
      case 'refused':
        return this.refuse({
          message: `Plugin "${this.#around.pluginName}" did not take the ${this.#kind}.`,
        });
      case 'bare':
        // The response to an input is its acknowledgement, in whatever words. That to an execute can only be its result.
        return this.#kind === 'input' ? this.acknowledge() : this.complete(completionWith(result.value));
    }
  }

  complete({ failed, text, data, keepSession, code, reason }: Completion): void {
    const content = this.#content(text, data, keepSession);
    if (!failed) return this.#end({ ok: true, ...content });
    const error = {
      code: codeOf(code),
      message: reasonGiven(reason ?? text),
      ...(code !== undefined && { wireCode: code }),
    };
    this.#end({ ...withoutReason(content, error), ok: false, error });
  }

  /** The plugin says that it failed, by an `error` notification or an error response. */
  refuse({ code, message, data, keepSession }: WireFailure): void {
    const details = detailsIn(paramsIn(data));
    this.#end({
      ...this.#content('', undefined, keepSession),
      ok: false,
      error: {
        code: this.#codeOf(code),
        message: withoutSuggestions(reasonGiven(message), details.suggestions),
        ...(code !== undefined && { wireCode: code }),
        ...details,
        ...(data !== undefined && { data }),
      },
    });
  }

  /** It cannot come to an end of its own any more. */
  fail(error: Error): void {
    this.#end({ ...this.#content('', undefined, undefined), ok: false, error: unanswered(error) });
  }

  /** A failure told to everybody at the exchange, so that a late response is known as one. */
  giveUp(error: PluglotError): void {
    this.#exchange.abandon(error);
    this.fail(error);
  }

  /** A plugin without a handler of inputs says that the method is unknown. */
  #codeOf(code: number | undefined): ErrorCode {
    const neutral = codeOf(code);
    return this.#kind === 'input' && neutral === 'UNKNOWN_TOOL' ? 'NOT_TALKING' : neutral;
  }

  #content(text: string, data: AnswerContent['data'], keepSession: boolean | undefined): AnswerContent {
    const content: { -readonly [key in keyof AnswerContent]: AnswerContent[key] } = {};
    const all = joined(this.#streamed.text, text);
    if (all !== '') content.text = all;
    if (data !== undefined) content.data = data;
    if (keepSession !== undefined) content.keepSession = keepSession;
    return content;
  }

  #end(answer: Answer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.acknowledge();
    this.#around.over(this.#exchange.id);
    this.#exchange.settle(undefined);
    this.#sink.end(answer);
  }
}

/** What was streamed, then the rest. Some plugins end with all that they streamed once more: that is not said twice. */
function joined(streamed: string, text: string): string {
  if (streamed === '' || text === '') return streamed + text;
  return streamed === text || streamed.trim() === text.trim() ? streamed : streamed + text;
}
