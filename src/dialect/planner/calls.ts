// Requests to a planner or executor: sent, streamed, retried where that may help, and ended.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Answer, CallFailure, CallSink } from '../../definition/outcome.ts';
import type { RunningCall } from '../../definition/plugin-port.ts';
import { SentCall } from '../wire-call.ts';
import { answerOf, type PlannerRequest } from './results.ts';
import { attemptId, type RequestLog } from './requests.ts';
import type { IncomingStreams, StreamTarget } from './streams.ts';
import { methods } from './schema.ts';

export interface Question extends PlannerRequest {
  readonly params: object;
  readonly sink: CallSink;
}

interface CallsOptions {
  readonly peer: Peer;
  readonly streams: IncomingStreams;
  readonly retries: Retries;
  /** @default no log */
  readonly requestLog?: RequestLog | undefined;
  readonly clock: Clock;
  /** How many characters of streamed text are kept for the outcome of a call. */
  readonly keptText: number;
}

export class Calls {
  readonly #options: CallsOptions;
  /** Calls between two attempts, each with its answer if there is no other attempt. */
  readonly #waiting = new Map<PlannerCall, Answer>();

  constructor(options: CallsOptions) {
    this.#options = options;
    void options.peer.ended.then(() => {
      for (const [call, answer] of this.#waiting) call.end(answer);
      this.#waiting.clear();
    });
  }

  start(question: Question): RunningCall {
    const call = this.#callFor(question);
    this.#attempt(call, undefined);
    return call;
  }

  /** In one batch, or one by one where a batch would be too large. */
  startAll(questions: readonly Question[]): readonly RunningCall[] {
    const calls = questions.map((question) => this.#callFor(question));
    try {
      const exchanges = this.#options.peer.openBatch(calls.map(({ method, params }) => ({ method, params })));
      for (const [index, call] of calls.entries()) {
        const exchange = exchanges[index];
        if (exchange !== undefined) this.#follow(exchange, call);
      }
    } catch (error) {
      const isTooLarge = error instanceof PluglotError && error.code === 'FRAME_TOO_LARGE';
      for (const call of calls)
        if (isTooLarge) this.#attempt(call, undefined);
        else call.fail(error);
    }
    return calls;
  }

  #callFor(question: Question): PlannerCall {
    const { retries, keptText } = this.#options;
    const params = retries.paramsOf(question.method, question.params);
    return new PlannerCall({ ...question, params }, keptText);
  }

  #attempt(call: PlannerCall, id: string | undefined): void {
    try {
      const { method, params } = call;
      this.#follow(this.#options.peer.open(method, params, id === undefined ? undefined : { id }), call);
    } catch (error) {
      call.fail(error);
    }
  }

  #follow(exchange: Exchange, call: PlannerCall): void {
    const { streams, requestLog } = this.#options;
    const { wireId } = exchange;
    call.firstId ??= exchange.id;
    streams.follow(wireId, call);
    const logEnd = requestLog?.begin(call.method, wireId, call.params);
    exchange.onResponse((response) => {
      streams.release(wireId);
      logEnd?.(response.kind === 'success' ? undefined : response.error);
      this.#settle(call, answerOf(call.request, response, call.streamed));
    });
    exchange.onFailure((error) => {
      streams.release(wireId);
      logEnd?.({ message: error.message });
      call.fail(error);
    });
  }

  #settle(call: PlannerCall, answer: Answer): void {
    const { retries, clock } = this.#options;
    const delayMs = call.isCancelled ? undefined : retries.delayAfter(call, answer);
    if (delayMs === undefined || answer.ok) return call.end(answer);
    const { code, message } = answer.error;
    call.warn(
      `Attempt ${call.attempt} of ${call.method} failed with ${code} (${message}); retrying in ${Math.round(delayMs)} ms.`,
    );
    call.attempt += 1;
    this.#waiting.set(call, answer);
    const cancel = clock.after(delayMs, () => {
      call.endWait();
      this.#waiting.delete(call);
      this.#attempt(call, attemptId(call.firstId ?? 0, call.attempt));
    });
    call.waitForRetry(() => {
      cancel();
      this.#waiting.delete(call);
    });
  }
}

class PlannerCall implements RunningCall, StreamTarget, Attempted {
  readonly request: PlannerRequest;
  readonly params: object;
  attempt = 1;
  /** The id of the first attempt; later ids are made from it. */
  firstId: number | undefined;
  isCancelled = false;
  readonly #sent: SentCall;
  /** Set while it waits for its next attempt. */
  #stopWaiting: (() => void) | undefined;
  #isStopped = false;

  constructor({ plugin, method, form, params, sink }: Question, keptText: number) {
    this.request = { plugin, method, form };
    this.params = params;
    this.#sent = new SentCall(sink, { keptText });
  }

  get method(): string {
    return this.request.method;
  }

  get deadline(): number {
    return this.#sent.sink.deadline ?? Infinity;
  }

  get streamed(): string {
    return this.#sent.streamed;
  }

  text(text: string): void {
    this.#sent.stream(text);
  }

  warn(message: string): void {
    this.#sent.warn(message);
  }

  waitForRetry(stopWaiting: () => void): void {
    this.#stopWaiting = stopWaiting;
  }

  endWait(): void {
    this.#stopWaiting = undefined;
  }

  end(answer: Answer): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    this.#sent.end(answer);
  }

  /** Ends it without an answer of the plugin. */
  fail(error: unknown): void {
    this.#sent.fail(error);
  }

  /** The protocol has no cancellation, but a call between two attempts is not sent again. */
  cancel(): 'free' | 'occupied' {
    this.isCancelled = true;
    if (this.#stopWaiting === undefined) return this.#isStopped ? 'free' : this.#sent.cancel();
    this.#stopWaiting();
    this.#stopWaiting = undefined;
    this.#isStopped = true;
    return 'free';
  }
}

interface RetryOptions {
  /** How many attempts may follow the first. */
  readonly retries: number;
  /** Whether every task gets an idempotency key: only ends that know rpc.discover expect one. */
  readonly addsKeys: boolean;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** A failed attempt. */
interface Attempted {
  readonly method: string;
  readonly params: object;
  /** From 1. */
  readonly attempt: number;
  /** Text that was handed out already, and cannot be taken back. */
  readonly streamed: string;
  /** Infinity when the call has none. */
  readonly deadline: number;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

/** The executor did not begin. */
const notBegun: ReadonlySet<string> = new Set(['RATE_LIMITED', 'UNAVAILABLE', 'TOO_MANY_CALLS']);

/** Each delay is twice as long as the one before, with jitter so that hosts refused together do not retry together. */
export class Retries {
  readonly #options: RetryOptions;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /** The params of every attempt. */
  paramsOf(method: string, params: object): object {
    if (method !== methods.executeTask || this.#options.retries === 0 || !this.#options.addsKeys)
      return params;
    if (keyIn(params) !== undefined) return params;
    const { context }: { context?: unknown } = params;
    // An invalid context is passed on, so that the executor refuses it.
    if (context !== undefined && !isJsonObject(context)) return params;
    return { ...params, context: { ...context, idempotency_key: randomUUID() } };
  }

  /** Milliseconds until the next attempt; undefined when there is none. */
  delayAfter(attempted: Attempted, answer: Answer): number | undefined {
    const { method, params, attempt, streamed, deadline } = attempted;
    if (answer.ok || method !== methods.executeTask || streamed !== '') return undefined;
    if (attempt > this.#options.retries || !isTemporary(answer.error, keyIn(params) !== undefined))
      return undefined;
    const { clock, random } = this.#options;
    const longest = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
    const delayMs = Math.max(longest * (0.5 + random() / 2), requestedDelay(answer.error));
    return clock.now() + delayMs < deadline ? delayMs : undefined;
  }
}

/** A task that was begun is retried only with an idempotency key, by which the executor recognises it. */
function isTemporary({ code, recoverable }: CallFailure, hasKey: boolean): boolean {
  if (recoverable === false) return false;
  return notBegun.has(code) || (recoverable === true && hasKey);
}

/** Our own ends say when to retry. */
function requestedDelay({ data }: CallFailure): number {
  const delayMs = isJsonObject(data) ? data['retry_after_ms'] : undefined;
  return typeof delayMs === 'number' && delayMs > 0 ? delayMs : 0;
}

function keyIn(params: object): string | undefined {
  const { context }: { context?: unknown } = params;
  const key = isJsonObject(context) ? (context satisfies JsonObject)['idempotency_key'] : undefined;
  return typeof key === 'string' ? key : undefined;
}
