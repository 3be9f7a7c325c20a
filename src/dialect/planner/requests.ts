// Requests of the other end: parameters, streamed answers, log lines and the rate limit.
import type { Clock } from '../../base/clock.ts';
import { defined, isJsonObject, type Json } from '../../base/json.ts';
import { jsonText, sentence } from '../../base/text.ts';
import type { ErrorObject, Id } from '../../channel/message/message.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { RunningCall } from '../../definition/plugin-port.ts';
import type { Answer, CallEvent, CallSink } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { backendAnswer } from '../author-base.ts';
import { QueuedSender } from '../sender.ts';
import { fromWire, type Shape } from '../shape.ts';
import { INVALID_PARAMS, rpcErrorOf, wireErrorOf } from './codes.ts';
import { OutgoingStream } from './streams.ts';

/** @throws RpcError -32602 that names the field */
export function readParams<Value>(shape: Shape<Value>, params: unknown): Value {
  const read = fromWire(shape, params ?? {}, 'params', 'strict');
  if ('value' in read) return read.value;
  const details = `Invalid params: ${sentence(read.problem)}`;
  throw new RpcError(INVALID_PARAMS, details, { type: 'PARSE_ERROR', details, recovery_suggestions: [] });
}

/** Streams the text of calls while they run; used by author ends, and by the host for the tasks of a planner. */
export class StreamedAnswers {
  readonly #peer: Peer;
  readonly #sender: QueuedSender;
  readonly #debug: boolean;
  readonly #onEvent: (event: Exclude<CallEvent, { kind: 'text' }>) => void;
  #streams = 0;

  /**
   * @param debug whether errors carry the stack of what was thrown
   * @param onEvent takes the events for which the protocol has no message
   */
  constructor(
    peer: Peer,
    debug: boolean,
    onEvent: (event: Exclude<CallEvent, { kind: 'text' }>) => void = () => {},
  ) {
    this.#peer = peer;
    this.#sender = new QueuedSender(peer);
    this.#debug = debug;
    this.#onEvent = onEvent;
  }

  /** @throws RpcError when the call failed */
  async answer(
    context: CallContext,
    start: (sink: CallSink) => RunningCall,
  ): Promise<Answer & { readonly ok: true }> {
    let stream: OutgoingStream | undefined;
    const answer = await backendAnswer(
      context,
      (event) => {
        if (event.kind === 'text') (stream ??= this.#stream(context)).text(event.text);
        else this.#onEvent(event);
      },
      start,
      () => this.#peer.drained(),
    );
    await stream?.end();
    if (!answer.ok) throw rpcErrorOf(answer, this.#debug);
    return answer;
  }

  #stream({ id }: CallContext): OutgoingStream {
    this.#streams += 1;
    return new OutgoingStream(this.#sender, `stream_${String(this.#streams).padStart(3, '0')}`, id);
  }
}

/** The second attempt at `task_001` has the id `task_001#2`. */
export function attemptId(first: Id, number: number): string {
  return `${first}#${number}`;
}

/** The number of the first attempt is 1. */
export function attemptOf(id: Id): { readonly task: string; readonly number: number } {
  const [, task = String(id), number = '1'] = /^(.+)#(\d{1,9})$/s.exec(String(id)) ?? [];
  return { task, number: Number(number) };
}

/** One entry for each request: duration, outcome, size and the number of the attempt. */
export class RequestLog {
  readonly #clock: Clock;
  readonly #log: (entry: LogEntry) => void;

  constructor(clock: Clock, log: (entry: LogEntry) => void) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The returned function is called when the request has ended, with the error if it failed. */
  begin(method: string, id: Id, params: unknown): (error?: Partial<ErrorObject>) => void {
    const startedAt = this.#clock.now();
    const { number } = attemptOf(id);
    return (error) => {
      // It came from JSON, or was written as JSON.
      const type = isJsonObject(error?.data) ? (error.data['type'] satisfies Json | undefined) : undefined;
      this.#log({
        level: error === undefined ? 'info' : 'error',
        message: 'RPC Request',
        data: defined({
          method,
          id,
          duration_ms: Math.round(this.#clock.now() - startedAt),
          status: error === undefined ? 'success' : 'error',
          params_bytes: params === undefined ? 0 : Buffer.byteLength(jsonText(params)),
          attempt: number > 1 ? number : undefined,
          code: error?.code,
          type,
        }),
      });
    };
  }

  /** Settles as the result does. */
  async watch<Result>(
    params: unknown,
    { id, method }: CallContext,
    result: Promise<Result>,
  ): Promise<Result> {
    const ended = this.begin(method, id, params);
    try {
      const value = await result;
      ended();
      return value;
    } catch (thrown) {
      ended(thrown instanceof RpcError ? thrown : {});
      throw thrown;
    }
  }
}

const MINUTE_MS = 60_000;

export class RateLimit {
  readonly #clock: Clock;
  /** When the last requests were admitted: a ring with the oldest at `#next`. */
  readonly #admittedAt: number[];
  #next = 0;

  constructor(perMinute: number, clock: Clock) {
    this.#clock = clock;
    this.#admittedAt = Array.from({ length: perMinute }, () => -Infinity);
  }

  /** @throws RpcError when there were too many within a minute */
  admit(): void {
    const now = this.#clock.now();
    const waitMs = (this.#admittedAt[this.#next] ?? -Infinity) + MINUTE_MS - now;
    if (waitMs > 0) throw this.#tooMany(waitMs);
    this.#admittedAt[this.#next] = now;
    this.#next = (this.#next + 1) % this.#admittedAt.length;
  }

  #tooMany(waitMs: number): RpcError {
    const { wireCode, name, type } = wireErrorOf('RATE_LIMITED');
    return new RpcError(wireCode, name, {
      type,
      details: `The limit is ${this.#admittedAt.length} requests a minute.`,
      retry_after_ms: Math.ceil(waitMs),
      recovery_suggestions: [`Retry in ${Math.ceil(waitMs / 1000)} s.`],
    });
  }
}
