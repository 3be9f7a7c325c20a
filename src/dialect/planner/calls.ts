// The requests under way at a planner or executor: sent, heard of while they stream, attempted again where that may help, and ended.
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Answer, CallSink } from '../../definition/outcome.ts';
import { unanswered } from '../failure.ts';
import type { WireCall } from '../host-dialect.ts';
import { KeptText } from '../kept-text.ts';
import { answerOf, type Asked } from './answers.ts';
import { attemptId } from './attempts.ts';
import type { IncomingStreams, StreamTarget } from './incoming-streams.ts';
import type { RequestLog } from './request-log.ts';
import type { Attempted, Retries } from './retries.ts';

export interface Question extends Asked {
  readonly params: object;
  readonly sink: CallSink;
}

export interface CallsPorts {
  readonly peer: Peer;
  readonly streams: IncomingStreams;
  readonly retries: Retries;
  /** Every request is told to it. */
  readonly requests: Pick<RequestLog, 'begin'>;
  readonly clock: Clock;
  /** How many characters of what a request streams are kept for its outcome. */
  readonly keptText: number;
}

export class Calls {
  readonly #ports: CallsPorts;
  /** Those that wait for their next attempt, and what they are answered with when there will be none. */
  readonly #resting = new Map<PlannerCall, Answer>();

  constructor(ports: CallsPorts) {
    this.#ports = ports;
    void ports.peer.ended.then(() => {
      for (const [call, answer] of this.#resting) call.end(answer);
      this.#resting.clear();
    });
  }

  start(question: Question): WireCall {
    const call = this.#callFor(question);
    this.#attempt(call, undefined);
    return call;
  }

  /** All in one message, unless that would be too large for one: then each in its own. */
  startAll(questions: readonly Question[]): readonly WireCall[] {
    const calls = questions.map((question) => this.#callFor(question));
    try {
      const exchanges = this.#ports.peer.openBatch(calls.map(({ method, params }) => ({ method, params })));
      for (const [index, call] of calls.entries()) {
        const exchange = exchanges[index];
        if (exchange !== undefined) this.#follow(exchange, call);
      }
    } catch (error) {
      const isTooLarge = error instanceof PluglotError && error.code === 'FRAME_TOO_LARGE';
      for (const call of calls)
        if (isTooLarge) this.#attempt(call, undefined);
        else call.end({ ok: false, error: unanswered(error) });
    }
    return calls;
  }

  #callFor(question: Question): PlannerCall {
    const { retries, keptText } = this.#ports;
    const params = retries.paramsOf(question.method, question.params);
    return new PlannerCall({ ...question, params }, keptText);
  }

  #attempt(call: PlannerCall, id: string | undefined): void {
    try {
      const { method, params } = call;
      this.#follow(this.#ports.peer.open(method, params, id === undefined ? undefined : { id }), call);
    } catch (error) {
      call.end({ ok: false, error: unanswered(error) });
    }
  }

  #follow(exchange: Exchange, call: PlannerCall): void {
    const { streams, requests } = this.#ports;
    const { wireId } = exchange;
    call.firstId ??= exchange.id;
    streams.follow(wireId, call);
    const told = requests.begin(call.method, wireId, call.params);
    exchange.onResponse((response) => {
      streams.release(wireId);
      told(response.kind === 'success' ? undefined : response.error);
      this.#answered(call, answerOf(call.asked, response, call.streamed));
    });
    exchange.onFailure((error) => {
      streams.release(wireId);
      told({ message: error.message });
      call.end(call.withStreamed({ ok: false, error: unanswered(error) }));
    });
  }

  #answered(call: PlannerCall, answer: Answer): void {
    const { retries, clock } = this.#ports;
    const delayMs = call.isGivenUp ? undefined : retries.delayAfter(call, answer);
    if (delayMs === undefined || answer.ok) return call.end(answer);
    const { code, message } = answer.error;
    call.warn(
      `Attempt ${call.attempt} at ${call.method} failed with ${code} (${message}); the next follows in ${Math.round(delayMs)} ms.`,
    );
    call.attempt += 1;
    this.#resting.set(call, answer);
    const cancel = clock.after(delayMs, () => {
      call.wakeUp();
      this.#resting.delete(call);
      this.#attempt(call, attemptId(call.firstId ?? 0, call.attempt));
    });
    call.rest(() => {
      cancel();
      this.#resting.delete(call);
    });
  }
}

class PlannerCall implements WireCall, StreamTarget, Attempted {
  readonly asked: Asked;
  readonly params: object;
  attempt = 1;
  /** The id of the first attempt, from which those of the others are made. */
  firstId: number | undefined;
  isGivenUp = false;
  readonly #sink: CallSink;
  readonly #streamed: KeptText;
  #isOver = false;
  /** There while nothing is on the wire: it waits for its next attempt. */
  #callOff: (() => void) | undefined;

  constructor({ plugin, method, form, params, sink }: Question, keptText: number) {
    this.asked = { plugin, method, form };
    this.params = params;
    this.#sink = sink;
    this.#streamed = new KeptText(keptText, (message) => this.warn(message));
  }

  get method(): string {
    return this.asked.method;
  }

  get deadline(): number {
    return this.#sink.deadline ?? Infinity;
  }

  get hasStreamed(): boolean {
    return this.streamed !== '';
  }

  get streamed(): string {
    return this.#streamed.text;
  }

  text(text: string): void {
    this.#streamed.add(text);
    this.#sink.event({ kind: 'text', text });
  }

  warn(message: string): void {
    this.#sink.event({ kind: 'log', level: 'warn', message });
  }

  withStreamed(answer: Answer): Answer {
    return this.streamed === '' ? answer : { ...answer, text: this.streamed };
  }

  rest(callOff: () => void): void {
    this.#callOff = callOff;
  }

  wakeUp(): void {
    this.#callOff = undefined;
  }

  end(answer: Answer): void {
    this.#callOff?.();
    this.#callOff = undefined;
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.end(answer);
  }

  /** The protocol has no word for it; but what is not on the wire need not be sent again. */
  cancel(): 'free' | 'occupied' {
    this.isGivenUp = true;
    if (this.#callOff !== undefined) {
      this.#callOff();
      this.#callOff = undefined;
      this.#isOver = true;
    }
    return this.#isOver ? 'free' : 'occupied';
  }
}
