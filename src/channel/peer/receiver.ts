// What came is taken to where it belongs: requests to their handlers, responses to their exchanges, the rest to listeners.
import { PluglotError } from '../../base/error.ts';
import { sentence } from '../../base/sentence.ts';
import type { Trouble } from '../link/link.ts';
import type { Batch, ErrorObject, Id, Invalid, Received, Response, Single } from '../message/message.ts';
import { standardErrors } from '../message/rpc-error.ts';
import type { Reply } from './call-context.ts';
import type { IncomingCalls } from './incoming-calls.ts';
import type { Listeners } from './listeners.ts';
import type { CancelWords, ResolvedPeerOptions } from './options.ts';
import type { OutgoingCalls } from './outgoing-calls.ts';
import { OversizeBodies } from './oversize.ts';
import type { Responder } from './responder.ts';
import type { Counters } from './stats.ts';

/** The parts of a peer that something received can be for. */
export interface Recipients {
  readonly outgoing: OutgoingCalls;
  readonly incoming: IncomingCalls;
  readonly responder: Responder;
  readonly listeners: Listeners;
}

export class Receiver {
  readonly #to: Recipients;
  readonly #options: ResolvedPeerOptions;
  readonly #counters: Counters;
  readonly #oversize = new OversizeBodies();
  /** When the chunk that is being handed out came: all its messages came at that moment. */
  #chunkAt = 0;

  constructor(recipients: Recipients, options: ResolvedPeerOptions, counters: Counters) {
    this.#to = recipients;
    this.#options = options;
    this.#counters = counters;
  }

  chunkStart(size: number): void {
    this.#chunkAt = this.#options.clock.now();
    this.#to.responder.chunkStart(size);
  }

  receive(message: Received): void {
    this.#to.listeners.observed('received', message);
    if (message.kind === 'batch') this.#batch(message);
    else this.#single(message, this.#reply);
  }

  /** What came was no message. Where it can be told whose it was, that call ends: nobody shall wait for what was skipped. */
  survive(trouble: Trouble): void {
    this.#to.listeners.trouble(trouble);
    const lost = this.#oversize.take(trouble);
    if (lost === undefined) return;
    const { kind, id, size } = lost;
    const what = `${size} bytes, which is over the limit for receiving (receiveLimit)`;
    if (kind === 'request') {
      const { code, message } = standardErrors.invalidRequest;
      this.#to.responder.respond({ kind: 'failure', id, error: { code, message: `${message}: ${what}` } });
    } else {
      this.#to.outgoing.failOne(
        Number(id), // one that was sent back as a string is still the id
        'FRAME_TOO_LARGE',
        (method) => `The answer of ${this.#options.name} to "${method}" has ${what}.`,
      );
    }
  }

  readonly #reply: Reply = (response) => {
    if (response !== undefined) this.#to.responder.respond(response);
  };

  #single(message: Single | Invalid, reply: Reply): void {
    switch (message.kind) {
      case 'request':
        this.#counters.requestsReceived += 1;
        this.#to.incoming.take(message, reply);
        break;
      case 'notification':
        this.#counters.notificationsReceived += 1;
        if (message.method === this.#options.cancel?.method)
          this.#cancel(this.#options.cancel, message.params);
        this.#to.listeners.notify(message.method, message.params);
        break;
      case 'success':
      case 'failure':
        this.#counters.responsesReceived += 1;
        this.#response(message);
        break;
      case 'invalid':
        this.#counters.invalidMessages += 1;
        this.#invalid(message, reply);
        break;
    }
  }

  /** The answers of a batch go out as one batch, when the last of them is there. */
  #batch(batch: Batch<Single | Invalid>): void {
    const responses: Response[] = [];
    let missing = batch.items.length;
    const reply: Reply = (response) => {
      if (response !== undefined) responses.push(response);
      missing -= 1;
      if (missing === 0 && responses.length > 0)
        this.#to.responder.respond({ kind: 'batch', items: responses });
    };
    for (const item of batch.items) {
      this.#single(item, reply);
      if (item.kind !== 'request' && item.kind !== 'invalid') reply(undefined);
    }
  }

  #response(response: Response): void {
    try {
      const returned = this.#to.outgoing.receive(response, this.#chunkAt);
      if (returned !== undefined) this.#to.listeners.watch('a response listener', returned);
    } catch (thrown) {
      this.#to.listeners.threw('a response listener', thrown);
    }
  }

  #cancel(words: CancelWords, params: unknown): void {
    let id: Id | undefined;
    try {
      id = words.idIn(params);
    } catch (thrown) {
      this.#to.listeners.threw(`the reader of "${words.method}"`, thrown);
    }
    if (id === undefined) return;
    this.#to.incoming.cancel(
      id,
      new PluglotError('CALL_CANCELLED', `${this.#options.name} gave the call up.`),
    );
  }

  #invalid(invalid: Invalid, reply: Reply): void {
    const { as, id, reason, text } = invalid;
    this.#to.listeners.trouble({ kind: 'invalid', reason, text });
    const answersUs =
      (as === 'response' || as === 'either') &&
      this.#to.outgoing.failOne(
        id,
        'INVALID_RESPONSE',
        (method) =>
          `The answer of ${this.#options.name} to "${method}" is no JSON-RPC response: ${sentence(reason)}`,
      );
    if (answersUs || as === 'response' || !this.#options.answerInvalid) reply(undefined);
    else reply({ kind: 'failure', id, error: answerTo(as) });
  }
}

function answerTo(as: Invalid['as']): ErrorObject {
  return as === 'parse' ? standardErrors.parseError : standardErrors.invalidRequest;
}
