// One call on the wire. There are many of them in a busy fleet, so it is one small object and the two listeners.
import type { Peer } from '../../channel/peer/peer.ts';
import { unanswered } from '../failure.ts';
import type { WireCall } from '../host-dialect.ts';
import type { CallSink } from '../../definition/outcome.ts';
import { answerOf } from './answer.ts';

export class OpenCall implements WireCall {
  #isOver = false;

  /** The call is on its way when this returns, or has ended with the reason why not. */
  constructor(peer: Peer, plugin: string, method: string, params: unknown, sink: CallSink) {
    try {
      const exchange = peer.open(method, params);
      exchange.onResponse((response) => {
        this.#isOver = true;
        sink.end(answerOf(plugin, method, response));
      });
      exchange.onFailure((error) => {
        this.#isOver = true;
        sink.end({ ok: false, error: unanswered(error) });
      });
    } catch (error) {
      this.#isOver = true;
      sink.end({ ok: false, error: unanswered(error) });
    }
  }

  /** YAMS has no word for it: the plugin works on, and its late answer tells when it is free again. */
  cancel(): 'free' | 'occupied' {
    return this.#isOver ? 'free' : 'occupied';
  }
}
