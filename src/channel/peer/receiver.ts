// Routes what the link receives: requests to handlers, responses to their exchanges, notifications and trouble to listeners.
import { PluglotError, toError } from '../../base/error.ts';
import { sentence } from '../../base/text.ts';
import type { Ending } from '../bytes/pipe.ts';
import type { LinkListener, Trouble } from '../link/link.ts';
import type {
  Batch,
  ErrorObject,
  Id,
  Invalid,
  Message,
  Received,
  Response,
  Single,
} from '../message/message.ts';
import { standardErrors } from '../message/rpc-error.ts';
import type { Reply } from './call-context.ts';
import type { IncomingCalls } from './incoming-calls.ts';
import type {
  CancelProtocol,
  NotificationListener,
  Observer,
  OtherNotificationListener,
  PeerTrouble,
  ResolvedPeerOptions,
} from './options.ts';
import type { OutgoingCalls } from './outgoing-calls.ts';
import { OversizeBodies } from './oversize.ts';
import type { Responder } from './responder.ts';
import type { Counters } from './stats.ts';

/** The parts of a peer that take what is received. */
export interface Recipients {
  readonly outgoing: OutgoingCalls;
  readonly incoming: IncomingCalls;
  readonly responder: Responder;
  readonly listeners: Listeners;
  end(ending: Ending): void;
}

export class Receiver implements LinkListener {
  readonly #to: Recipients;
  readonly #options: ResolvedPeerOptions;
  readonly #counters: Counters;
  readonly #oversize = new OversizeBodies();
  /** When the current chunk came: all its messages came at that moment. */
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

  message(message: Received): void {
    this.#to.listeners.observed('received', message);
    if (message.kind === 'batch') this.#batch(message);
    else this.#single(message, this.#reply);
  }

  failed(id: Id, error: Error): void {
    this.#to.outgoing.fail(id, error);
  }

  end(ending: Ending): void {
    this.#to.end(ending);
  }

  /** The input was not a message. Where the request it belongs to is known, that request ends. */
  trouble(trouble: Trouble): void {
    this.#to.listeners.trouble(trouble);
    const lost = this.#oversize.take(trouble);
    if (lost === undefined) return;
    const { kind, id, size } = lost;
    const what = `${size} bytes, which is over the limit for receiving (receiveLimit)`;
    if (kind === 'request') {
      const { code, message } = standardErrors.invalidRequest;
      const excess = trouble.kind === 'oversize' ? trouble.excess : undefined;
      const why = this.#options.describeOversize?.(size, excess) ?? excess ?? what;
      this.#to.responder.respond({ kind: 'failure', id, error: { code, message: `${message}: ${why}` } });
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

  #cancel(protocol: CancelProtocol, params: unknown): void {
    let id: Id | undefined;
    try {
      id = protocol.idIn(params);
    } catch (thrown) {
      this.#to.listeners.threw(`the reader of "${protocol.method}"`, thrown);
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
          `The answer of ${this.#options.name} to "${method}" is not a JSON-RPC response: ${sentence(reason)}`,
      );
    if (answersUs || as === 'response' || !this.#options.answerInvalid) reply(undefined);
    else reply({ kind: 'failure', id, error: answerTo(as) });
  }
}

function answerTo(as: Invalid['as']): ErrorObject {
  return as === 'parse' ? standardErrors.parseError : standardErrors.invalidRequest;
}

/** Calls code of users of the peer: it may throw or fail later, and must not end the reading of the link. */
export class Listeners {
  readonly #byMethod = new Map<string, NotificationListener>();
  #otherwise: OtherNotificationListener | undefined;
  readonly #onTrouble: (trouble: PeerTrouble) => unknown;
  /** Undefined without observers, so that it costs nothing. */
  #observers: Observer[] | undefined;

  constructor(onTrouble: (trouble: PeerTrouble) => unknown) {
    this.#onTrouble = onTrouble;
  }

  onNotification(method: string, listener: NotificationListener): void {
    this.#byMethod.set(method, listener);
  }

  onOtherNotifications(listener: OtherNotificationListener): void {
    this.#otherwise = listener;
  }

  notify(method: string, params: unknown): void {
    try {
      const listener = this.#byMethod.get(method);
      const returned = listener === undefined ? this.#otherwise?.(method, params) : listener(params);
      if (returned !== undefined) this.watch(`the listener of "${method}"`, returned);
    } catch (thrown) {
      this.threw(`the listener of "${method}"`, thrown);
    }
  }

  observe(observer: Observer): () => void {
    // One that is added twice is called twice, and each is removed by itself.
    const own: Observer = (direction, message) => observer(direction, message);
    this.#observers = [...(this.#observers ?? []), own];
    return () => {
      const left = this.#observers?.filter((other) => other !== own) ?? [];
      this.#observers = left.length === 0 ? undefined : left;
    };
  }

  observed(direction: 'sent' | 'received', message: Message | Received): void {
    if (this.#observers === undefined) return;
    for (const observer of this.#observers) {
      try {
        const returned = observer(direction, message);
        if (returned !== undefined) this.watch('an observer', returned);
      } catch (thrown) {
        this.threw('an observer', thrown);
      }
    }
  }

  trouble(trouble: PeerTrouble): void {
    try {
      const returned = this.#onTrouble(trouble);
      // A failing listener of trouble has no one to report to.
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // The same.
    }
  }

  threw(where: string, thrown: unknown): void {
    this.trouble({ kind: 'thrown', where, error: toError(thrown) });
  }

  /** A rejected promise that is not awaited would end the process. */
  watch(where: string, returned: unknown): void {
    if (returned instanceof Promise) returned.catch((thrown: unknown) => this.threw(where, thrown));
  }
}
