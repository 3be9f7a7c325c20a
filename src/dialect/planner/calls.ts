// The requests under way at a planner or executor: sent, heard of while they stream, and ended.
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Answer, CallSink } from '../../definition/outcome.ts';
import { unanswered } from '../failure.ts';
import type { WireCall } from '../host-dialect.ts';
import { KeptText } from '../kept-text.ts';
import { answerOf, type Asked } from './answers.ts';
import type { IncomingStreams, StreamTarget } from './incoming-streams.ts';

export interface Question extends Asked {
  readonly params: object;
  readonly sink: CallSink;
}

export class Calls {
  readonly #peer: Peer;
  readonly #streams: IncomingStreams;
  readonly #keptText: number;

  /** @param keptText how many characters of what a request streams are kept for its outcome */
  constructor(peer: Peer, streams: IncomingStreams, keptText: number) {
    this.#peer = peer;
    this.#streams = streams;
    this.#keptText = keptText;
  }

  start(question: Question): WireCall {
    const call = new PlannerCall(question, this.#keptText);
    try {
      this.#follow(this.#peer.open(question.method, question.params), call);
    } catch (error) {
      call.end({ ok: false, error: unanswered(error) });
    }
    return call;
  }

  /** All in one message: all are on their way, or none. */
  startAll(questions: readonly Question[]): readonly WireCall[] {
    const calls = questions.map((question) => new PlannerCall(question, this.#keptText));
    try {
      const exchanges = this.#peer.openBatch(questions.map(({ method, params }) => ({ method, params })));
      for (const [index, call] of calls.entries()) {
        const exchange = exchanges[index];
        if (exchange !== undefined) this.#follow(exchange, call);
      }
    } catch (error) {
      for (const call of calls) call.end({ ok: false, error: unanswered(error) });
    }
    return calls;
  }

  #follow(exchange: Exchange, call: PlannerCall): void {
    this.#streams.follow(exchange.id, call);
    exchange.onResponse((response) => {
      this.#streams.release(exchange.id);
      call.end(answerOf(call.asked, response, call.streamed));
    });
    exchange.onFailure((error) => {
      this.#streams.release(exchange.id);
      call.end(call.withStreamed({ ok: false, error: unanswered(error) }));
    });
  }
}

class PlannerCall implements WireCall, StreamTarget {
  readonly asked: Asked;
  readonly #sink: CallSink;
  readonly #streamed: KeptText;
  #isOver = false;

  constructor({ plugin, method, form, sink }: Question, keptText: number) {
    this.asked = { plugin, method, form };
    this.#sink = sink;
    this.#streamed = new KeptText(keptText, (message) => this.warn(message));
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

  end(answer: Answer): void {
    this.#isOver = true;
    this.#sink.end(answer);
  }

  /** The protocol has no word for it. */
  cancel(): 'free' | 'occupied' {
    return this.#isOver ? 'free' : 'occupied';
  }
}
