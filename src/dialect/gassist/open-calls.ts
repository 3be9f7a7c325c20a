// All calls of one plugin that are under way, by the id that its notifications name.
import type { Clock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { PeerTrouble } from '../../channel/peer/options.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import { unanswered } from '../failure.ts';
import type { WireCall } from '../host-dialect.ts';
import type { CallSink } from '../../definition/outcome.ts';
import { OpenCall, type CallSurroundings } from './open-call.ts';
import type { ExecuteParams, InputParams, RequestId } from './schema.ts';

export interface OpenCallsOptions {
  readonly pluginName: string;
  readonly clock: Clock;
  readonly ackMs: number;
  readonly keptText: number;
  warn(message: string): void;
  trouble(trouble: PeerTrouble): void;
}

export class OpenCalls {
  readonly #peer: Peer;
  readonly #options: OpenCallsOptions;
  readonly #byId = new Map<number, OpenCall>();
  readonly #around: CallSurroundings;
  /** Calls that were given up, oldest first, until the plugin has said how they ended. */
  readonly #givenUp = new Set<number>();

  constructor(peer: Peer, options: OpenCallsOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#around = {
      pluginName: options.pluginName,
      keptText: options.keptText,
      warn: (message) => options.warn(message),
      over: (id) => void this.#byId.delete(id),
    };
  }

  execute(params: ExecuteParams, sink: CallSink): WireCall {
    return this.#open('execute', params, sink) ?? neverSent;
  }

  input(params: InputParams, sink: CallSink): WireCall {
    const call = this.#open('input', params, sink);
    if (call === undefined) return neverSent;
    const { pluginName, clock, ackMs } = this.#options;
    const tooLate = () => {
      this.#givenUp.add(call.id);
      call.giveUp(
        new PluglotError(
          'ACK_TIMEOUT',
          `Plugin "${pluginName}" did not acknowledge an input within ${ackMs} ms. It has to answer "input" with { "acknowledged": true } ` +
            `before it works on it; limits.ackMs gives it more time.`,
        ),
      );
    };
    call.limitAck(clock.after(ackMs, tooLate));
    return call;
  }

  /** A message without an id is for the only call there is. While an earlier one was given up, it may be for that one. */
  find(id: RequestId): OpenCall | undefined {
    if (typeof id === 'number') return this.#byId.get(id);
    if (id === 'unknown' || this.#givenUp.size > 0 || this.#byId.size !== 1) return undefined;
    const [only] = this.#byId.values();
    return only;
  }

  /** An end came that is for no open call. Without an id it is that of the oldest call that was given up. */
  endedLate(id: RequestId): void {
    const [oldest] = this.#givenUp;
    const ended = id === 'the-active-one' ? oldest : id;
    if (typeof ended === 'number') this.#givenUp.delete(ended);
  }

  /** How many calls a message may be for. */
  get size(): number {
    return this.#byId.size + this.#givenUp.size;
  }

  /** Ends those as well that were acknowledged, of which the peer knows no more. */
  failAll(error: PluglotError): void {
    for (const call of this.#byId.values()) {
      try {
        call.giveUp(error);
      } catch (thrown) {
        this.#options.trouble({ kind: 'thrown', where: 'the end of a call', error: toError(thrown) });
      }
    }
  }

  #open(
    method: 'execute' | 'input',
    params: ExecuteParams | InputParams,
    sink: CallSink,
  ): OpenCall | undefined {
    let exchange: Exchange;
    try {
      exchange = this.#peer.open(method, params);
    } catch (thrown) {
      const { code, message } = unanswered(thrown);
      const who = `Plugin "${this.#options.pluginName}" was not sent the ${method}`;
      sink.end({ ok: false, error: { code, message: `${who}: ${message}` } });
      return undefined;
    }
    const call = new OpenCall(method, exchange, sink, this.#around);
    this.#byId.set(exchange.id, call);
    return call;
  }
}

const neverSent: WireCall = { cancel: () => 'free' };
