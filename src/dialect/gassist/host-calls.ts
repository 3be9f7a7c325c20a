// The calls of one G-Assist plugin: `execute` and `input` go out as requests, and notifications with their id end them.
import type { Clock } from '../../base/clock.ts';
import { PluglotError, toError, type ErrorCode } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { shortened } from '../../base/text.ts';
import type { Response } from '../../channel/message/message.ts';
import type { PeerTrouble } from '../../channel/peer/options.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { AnswerContent, CallSink } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { detailsIn, reasonGiven, unanswered, withoutReason, withoutSuggestions } from '../failure.ts';
import type { RunningCall } from '../../definition/plugin-port.ts';
import { SentCall } from '../wire-call.ts';
import { codeOf } from './codes.ts';
import {
  completionWith,
  paramsIn,
  parseCompletion,
  parseFailure,
  parseLog,
  parseRequestId,
  parseResult,
  parseStream,
  type Completion,
  type ExecuteParams,
  type InputParams,
  type RequestId,
  type WireFailure,
} from './schema.ts';

export interface GassistCallsOptions {
  readonly pluginName: string;
  readonly clock: Clock;
  readonly ackMs: number;
  /** How many characters of streamed text are kept for the outcome of a call. */
  readonly keptText: number;
  /** For logs that belong to no call. */
  log(entry: LogEntry): void;
  trouble(trouble: PeerTrouble): void;
}

type Method = 'execute' | 'input';

interface GassistCall {
  readonly id: number;
  readonly method: Method;
  readonly sent: SentCall;
  /** Stops the time limit for the first sign that the plugin has taken an input. */
  cancelAckLimit: (() => void) | undefined;
}

export class GassistCalls {
  readonly #peer: Peer;
  readonly #options: GassistCallsOptions;
  readonly #byId = new Map<number, GassistCall>();
  /** Calls that were given up, oldest first, until the plugin has ended them too. */
  readonly #givenUp = new Set<number>();

  constructor(peer: Peer, options: GassistCallsOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#listen('stream', (call, params) => {
      const text = parseStream(params);
      if (text === undefined) return;
      acknowledge(call);
      call.sent.stream(text);
    });
    this.#listen('complete', (call, params) => this.#complete(call, parseCompletion(params)));
    this.#listen('error', (call, params) => this.#refuse(call, parseFailure(params)));
    peer.onNotification('log', (given) => {
      const params = paramsIn(given);
      const entry = parseLog(params);
      const call = this.#find(parseRequestId(params));
      if (call === undefined) options.log(entry);
      else call.sent.event({ kind: 'log', ...entry });
    });
  }

  execute(params: ExecuteParams, sink: CallSink): RunningCall {
    return this.#open('execute', params, sink)?.sent ?? neverSent;
  }

  input(params: InputParams, sink: CallSink): RunningCall {
    const call = this.#open('input', params, sink);
    if (call === undefined) return neverSent;
    const { pluginName, clock, ackMs } = this.#options;
    call.cancelAckLimit = clock.after(ackMs, () => {
      this.#givenUp.add(call.id);
      call.sent.giveUp(
        new PluglotError(
          'ACK_TIMEOUT',
          `Plugin "${pluginName}" did not acknowledge an input within ${ackMs} ms. It has to answer "input" with { "acknowledged": true } ` +
            `before it works on it; limits.ackMs gives it more time.`,
        ),
      );
    });
    return call.sent;
  }

  /** Ends acknowledged calls too, which the peer no longer knows. */
  failAll(error: PluglotError): void {
    for (const { sent } of this.#byId.values()) {
      try {
        sent.giveUp(error);
      } catch (thrown) {
        this.#options.trouble({ kind: 'thrown', where: 'the end of a call', error: toError(thrown) });
      }
    }
  }

  /** An end that was too large to be read ends its call all the same. */
  endLost(trouble: PeerTrouble): void {
    if (trouble.kind !== 'oversize') return;
    const [, method] = /^\s*\{[^{]*"method"\s*:\s*"(\w+)"/.exec(trouble.head) ?? [];
    if (method !== 'complete' && method !== 'error') return;
    const [, digits] = /"request_id"\s*:\s*"?(\d{1,10})\b/.exec(trouble.head) ?? [];
    const id = digits === undefined ? 'the-active-one' : Number(digits);
    const call = this.#find(id);
    if (call === undefined) return this.#endedLate(id);
    call.sent.giveUp(
      new PluglotError(
        'FRAME_TOO_LARGE',
        `Plugin "${this.#options.pluginName}" ended a call with ${trouble.size} bytes, which is over the limit for receiving (limits.messageBytes).`,
      ),
    );
  }

  #listen(
    method: 'stream' | 'complete' | 'error',
    act: (call: GassistCall, params: JsonObject) => void,
  ): void {
    this.#peer.onNotification(method, (given) => {
      const params = paramsIn(given);
      const id = parseRequestId(params);
      const call = this.#find(id);
      if (call !== undefined) return act(call, params);
      const isIdle = this.#byId.size + this.#givenUp.size === 0;
      if (method === 'error' && id === 'the-active-one' && isIdle) return this.#logError(params);
      if (method !== 'stream') this.#endedLate(id);
      const which = typeof id === 'number' ? `request ${id}` : 'a request it does not name';
      this.#options.trouble({
        kind: 'invalid',
        reason: `"${method}" came for ${which}, which is not under way`,
        text: method,
      });
    });
  }

  #open(method: Method, params: ExecuteParams | InputParams, sink: CallSink): GassistCall | undefined {
    const { pluginName, keptText } = this.#options;
    try {
      const exchange = this.#peer.open(method, params);
      const sent = new SentCall(sink, {
        keptText,
        whenOver: () => {
          acknowledge(call);
          this.#byId.delete(call.id);
        },
      });
      const call: GassistCall = { id: exchange.id, method, sent, cancelAckLimit: undefined };
      this.#byId.set(call.id, call);
      sent.follow(exchange, (response) => this.#respond(call, response));
      return call;
    } catch (thrown) {
      const { code, message } = unanswered(thrown);
      const error = { code, message: `Plugin "${pluginName}" was not sent the ${method}: ${message}` };
      sink.end({ ok: false, error });
      return undefined;
    }
  }

  /** A message without an id is for the only call there is. While an earlier one was given up, it may be for that one. */
  #find(id: RequestId): GassistCall | undefined {
    if (typeof id === 'number') return this.#byId.get(id);
    if (id === 'unknown' || this.#givenUp.size > 0 || this.#byId.size !== 1) return undefined;
    const [only] = this.#byId.values();
    return only;
  }

  /** An end came that is for no open call. Without an id it is that of the oldest call that was given up. */
  #endedLate(id: RequestId): void {
    const [oldest] = this.#givenUp;
    const ended = id === 'the-active-one' ? oldest : id;
    if (typeof ended === 'number') this.#givenUp.delete(ended);
  }

  #respond(call: GassistCall, response: Response): void {
    if (response.kind === 'failure') {
      // It came out of JSON.
      return this.#refuse(call, parseFailure({ ...response.error } as JsonObject));
    }
    const result = parseResult(response.result);
    switch (result.kind) {
      case 'complete':
        return this.#complete(call, result.completion);
      case 'acknowledged':
        return acknowledge(call);
      case 'refused':
        return this.#refuse(call, {
          message: `Plugin "${this.#options.pluginName}" did not take the ${call.method}.`,
        });
      case 'bare':
        // Any response to an input acknowledges it. That to an execute can only be its result.
        return call.method === 'input'
          ? acknowledge(call)
          : this.#complete(call, completionWith(result.value));
    }
  }

  #complete({ sent }: GassistCall, { failed, text, data, keepSession, code, reason }: Completion): void {
    const content = contentOf(sent, text, data, keepSession);
    if (!failed) return sent.end({ ok: true, ...content });
    const error = {
      code: codeOf(code),
      message: reasonGiven(reason ?? text),
      ...(code !== undefined && { wireCode: code }),
    };
    sent.end({ ...withoutReason(content, error), ok: false, error });
  }

  /** The plugin reports a failure, by an `error` notification or an error response. */
  #refuse({ method, sent }: GassistCall, { code, message, data, keepSession }: WireFailure): void {
    const details = detailsIn(paramsIn(data));
    sent.end({
      ...contentOf(sent, '', undefined, keepSession),
      ok: false,
      error: {
        code: failureCode(method, code),
        message: withoutSuggestions(reasonGiven(message), details.suggestions),
        ...(code !== undefined && { wireCode: code }),
        ...details,
        ...(data !== undefined && { data }),
      },
    });
  }

  /** An error without a call and without an id is about the plugin itself. */
  #logError(params: JsonObject): void {
    const { code, message = 'an error without a reason', data } = parseFailure(params);
    this.#options.log({
      level: 'error',
      message: shortened(code === undefined ? message : `${message} (${code})`),
      ...(data !== undefined && { data }),
    });
  }
}

const neverSent: RunningCall = { cancel: () => 'free' };

function acknowledge(call: GassistCall): void {
  call.cancelAckLimit?.();
  call.cancelAckLimit = undefined;
}

/** A plugin without a handler of inputs answers that the method is unknown. */
function failureCode(method: Method, wireCode: number | undefined): ErrorCode {
  const code = codeOf(wireCode);
  return method === 'input' && code === 'UNKNOWN_TOOL' ? 'NOT_TALKING' : code;
}

function contentOf(
  { streamed }: SentCall,
  text: string,
  data: AnswerContent['data'],
  keepSession: boolean | undefined,
): AnswerContent {
  const content: { -readonly [key in keyof AnswerContent]: AnswerContent[key] } = {};
  const all = joined(streamed, text);
  if (all !== '') content.text = all;
  if (data !== undefined) content.data = data;
  if (keepSession !== undefined) content.keepSession = keepSession;
  return content;
}

/** The streamed text, then the rest. Some plugins end with all that they streamed: that is not repeated. */
function joined(streamed: string, text: string): string {
  if (streamed === '' || text === '') return streamed + text;
  return streamed === text || streamed.trim() === text.trim() ? streamed : streamed + text;
}
