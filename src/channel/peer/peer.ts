// One symmetric end on a link: calls the other end, and answers its calls.
import { PluglotError, toError } from '../../base/error.ts';
import { describeEnding, type Ending } from '../bytes/pipe.ts';
import type { Link, Trouble } from '../link/link.ts';
import type {
  Batch,
  ErrorObject,
  Invalid,
  Message,
  Notification,
  Received,
  Response,
  Single,
} from '../message/message.ts';
import { standardErrors } from '../message/rpc-error.ts';
import type { Exchange } from './exchange.ts';
import { IncomingCalls, type Handler, type Reply } from './incoming-calls.ts';
import {
  resolveOptions,
  type CancelWords,
  type PeerOptions,
  type PeerTrouble,
  type ResolvedPeerOptions,
} from './options.ts';
import { OutgoingCalls, type BatchCall, type CallOptions } from './outgoing-calls.ts';
import { OversizeBodies } from './oversize.ts';
import { Responder } from './responder.ts';
import { zeroCounters, type PeerStats } from './stats.ts';

/** May be asynchronous: nobody waits for it, but its failure is told as trouble. */
export type NotificationListener = (params: unknown) => unknown;

/** Sees every message, in the order of the wire. */
export type Observer = (direction: 'sent' | 'received', message: Message | Received) => unknown;

export interface CloseOptions {
  /**
   * What becomes of calls under way in either direction: `finish` waits for them, `abort` fails them.
   * @default 'finish'
   */
  readonly pending?: 'finish' | 'abort';
  /**
   * How long closing may take; then what is left is aborted.
   * @default 5000
   */
  readonly timeoutMs?: number;
}

/** A process that is gone is reaped within this time. */
const REASON_MS = 500;

export class Peer {
  readonly #link: Link;
  readonly #options: ResolvedPeerOptions;
  readonly #counters = zeroCounters();
  readonly #outgoing: OutgoingCalls;
  readonly #incoming: IncomingCalls;
  readonly #responder: Responder;
  readonly #oversize = new OversizeBodies();
  readonly #listeners = new Map<string, NotificationListener>();
  /** Undefined while nobody observes, so that it costs nothing. */
  #observers: Observer[] | undefined;
  /** When the chunk that is being handed out came. */
  #chunkAt = 0;
  #ending: Ending | undefined;
  #idleWaiters: (() => void)[] = [];
  #closing: Promise<void> | undefined;
  #tellEnded: (ending: Ending) => void = () => {};
  #tellClosed: (ending: Ending) => void = () => {};
  /** Resolves when nothing more will come, with the reason. Requests that were taken before may still be answered. */
  readonly ended: Promise<Ending>;
  /** Resolves when both directions are over, with the reason. */
  readonly closed: Promise<Ending>;

  constructor(link: Link, options: PeerOptions = {}) {
    this.#link = link;
    this.#options = resolveOptions(options);
    const send = (message: Message) => this.#send(message);
    const whenIdle = () => this.#checkIdle();
    this.#responder = new Responder(link, send, this.#options, whenIdle);
    this.#incoming = new IncomingCalls(this.#options, whenIdle);
    this.#outgoing = new OutgoingCalls(
      {
        send,
        get hasRoom() {
          return link.hasRoom;
        },
        drained: () => this.drained(),
      },
      this.#options,
      this.#counters,
      whenIdle,
    );
    this.ended = new Promise((resolve) => (this.#tellEnded = resolve));
    this.closed = new Promise((resolve) => (this.#tellClosed = resolve));
    link.open({
      chunkStart: () => (this.#chunkAt = this.#options.clock.now()),
      message: (message) => this.#receive(message),
      trouble: (trouble) => this.#survive(trouble),
      end: (ending) => this.#end(ending),
    });
  }

  /**
   * Sends a request and gives its exchange, for protocols that answer by other means than a response.
   * @throws PluglotError when it cannot be sent now.
   */
  open(method: string, params?: unknown, options?: CallOptions): Exchange {
    return this.#outgoing.open(method, params, options);
  }

  /** Sends a request, waiting for its turn where needed, and gives the result. Rejects with RpcError when the other end answered with an error. */
  request(method: string, params?: unknown, options?: CallOptions): Promise<unknown> {
    return this.#outgoing.request(method, params, options);
  }

  /**
   * Sends several calls as one message; the outcomes are in the order of the calls, and one that fails does not reject it.
   * It rejects when nothing could be sent now.
   */
  batch(calls: readonly BatchCall[], options?: CallOptions): Promise<PromiseSettledResult<unknown>[]> {
    return this.#outgoing.batch(calls, options);
  }

  /**
   * False means that enough is queued: await `drained()` before sending more.
   * @throws PluglotError PIPE_FULL when that was not done, PIPE_ENDED when nobody is there.
   */
  notify(method: string, params?: unknown): boolean {
    const roomLeft = this.#send({ kind: 'notification', method, params });
    this.#counters.notificationsSent += 1;
    return roomLeft;
  }

  /** Waits until the pipe has room; rejects when it ends first. */
  async drained(): Promise<void> {
    try {
      await this.#link.drained();
    } catch (error) {
      throw (await this.#reason()) ?? error;
    }
  }

  /** Why the link is over. That nobody reads is noticed a moment before it is known why, such as how the process ended. */
  async #reason(): Promise<PluglotError | undefined> {
    let cancel = () => {};
    const tooLate = new Promise<void>((resolve) => (cancel = this.#options.clock.after(REASON_MS, resolve)));
    await Promise.race([this.ended, tooLate]);
    cancel();
    return this.#ending && this.#endedError(this.#ending);
  }

  /** Answers requests of this method; a later handler replaces an earlier one. */
  handle(method: string, handler: Handler): void {
    this.#incoming.handle(method, handler);
  }

  /** Hears notifications of this method, in wire order; a later listener replaces an earlier one. */
  onNotification(method: string, listener: NotificationListener): void {
    this.#listeners.set(method, listener);
  }

  /** Sees every message from now on; the returned function ends that. */
  observe(observer: Observer): () => void {
    // One that is added twice is told twice, and each is ended by itself.
    const own: Observer = (direction, message) => observer(direction, message);
    this.#observers = [...(this.#observers ?? []), own];
    return () => {
      const left = this.#observers?.filter((other) => other !== own) ?? [];
      this.#observers = left.length === 0 ? undefined : left;
    };
  }

  stats(): PeerStats {
    return {
      ...this.#counters,
      inFlight: this.#outgoing.inFlight,
      waiting: this.#outgoing.waiting,
      handling: this.#incoming.size,
      latency: this.#outgoing.latency.summary(),
    };
  }

  /** Stops taking calls, finishes or aborts those under way, sends what is queued, ends the link. A second call can only hurry it. */
  close({ pending = 'finish', timeoutMs = 5000 }: CloseOptions = {}): Promise<void> {
    const error = new PluglotError(
      'PEER_CLOSED',
      `The connection to ${this.#options.name} was closed by this end.`,
    );
    const abort = () => {
      this.#outgoing.failAll(error);
      this.#incoming.abort(error);
    };
    const closing = (this.#closing ??= this.#close(error));
    if (pending === 'abort') abort();
    const cancelLimit = this.#options.clock.after(timeoutMs, () => {
      abort();
      this.#link.destroy();
    });
    return closing.finally(cancelLimit);
  }

  async #close(error: PluglotError): Promise<void> {
    this.#outgoing.refuse(error);
    this.#incoming.refuse('This end is closing');
    await this.#idle();
    await this.#link.finish();
    this.#link.destroy();
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleWaiters.push(resolve);
      this.#checkIdle();
    });
  }

  #checkIdle(): void {
    if (this.#idleWaiters.length === 0) return;
    if (
      this.#outgoing.inFlight + this.#outgoing.waiting + this.#incoming.unanswered + this.#responder.size >
      0
    )
      return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  #send(message: Message): boolean {
    if (this.#ending !== undefined && this.#ending.kind !== 'ended') throw this.#endedError(this.#ending);
    const roomLeft = this.#link.send(message);
    if (this.#observers !== undefined) this.#tellObservers('sent', message);
    return roomLeft;
  }

  #receive(message: Received): void {
    if (this.#observers !== undefined) this.#tellObservers('received', message);
    if (message.kind === 'batch') this.#receiveBatch(message);
    else this.#receiveSingle(message, this.#reply);
  }

  readonly #reply: Reply = (response) => {
    if (response !== undefined) this.#responder.respond(response);
  };

  #receiveSingle(message: Single | Invalid, reply: Reply): void {
    switch (message.kind) {
      case 'request':
        this.#counters.requestsReceived += 1;
        this.#incoming.take(message, reply);
        break;
      case 'notification':
        this.#counters.notificationsReceived += 1;
        this.#notified(message);
        break;
      case 'success':
      case 'failure':
        this.#counters.responsesReceived += 1;
        this.#responded(message);
        break;
      case 'invalid':
        this.#counters.invalidMessages += 1;
        this.#receiveInvalid(message, reply);
        break;
    }
  }

  #responded(response: Response): void {
    try {
      const returned = this.#outgoing.receive(response, this.#chunkAt);
      if (returned !== undefined) this.#surviveLater('a response listener', returned);
    } catch (thrown) {
      this.#survivedThrow('a response listener', thrown);
    }
  }

  /** The answers of a batch go out as one batch, when the last of them is there. */
  #receiveBatch(batch: Batch<Single | Invalid>): void {
    const responses: Response[] = [];
    let missing = batch.items.length;
    const reply: Reply = (response) => {
      if (response !== undefined) responses.push(response);
      missing -= 1;
      if (missing === 0 && responses.length > 0) this.#responder.respond({ kind: 'batch', items: responses });
    };
    for (const item of batch.items) {
      this.#receiveSingle(item, reply);
      if (item.kind !== 'request' && item.kind !== 'invalid') reply(undefined);
    }
  }

  #receiveInvalid(message: Invalid, reply: Reply): void {
    const { as, id, reason, text } = message;
    this.#tellTrouble({ kind: 'invalid', reason, text });
    const answersUs =
      (as === 'response' || as === 'either') &&
      this.#outgoing.failOne(
        id,
        'INVALID_RESPONSE',
        (method) => `${this.#options.name} answered "${method}" with no JSON-RPC response: ${reason}.`,
      );
    if (answersUs || as === 'response' || !this.#options.answerInvalid) reply(undefined);
    else
      reply({
        kind: 'failure',
        id,
        error: as === 'parse' ? standardErrors.parseError : standardErrors.invalidRequest,
      });
  }

  #notified(message: Notification): void {
    if (message.method === this.#options.cancel?.method)
      this.#cancelled(this.#options.cancel, message.params);
    try {
      const returned = this.#listeners.get(message.method)?.(message.params);
      if (returned !== undefined) this.#surviveLater(`the listener of "${message.method}"`, returned);
    } catch (thrown) {
      this.#survivedThrow(`the listener of "${message.method}"`, thrown);
    }
  }

  #cancelled(words: CancelWords, params: unknown): void {
    try {
      const id = words.idIn(params);
      if (id !== undefined)
        this.#incoming.cancel(
          id,
          new PluglotError('CALL_CANCELLED', `${this.#options.name} gave the call up.`),
        );
    } catch (thrown) {
      this.#survivedThrow(`the reader of "${words.method}"`, thrown);
    }
  }

  #survive(trouble: Trouble): void {
    this.#tellTrouble(trouble);
    const lost = this.#oversize.take(trouble);
    if (lost === undefined) return;
    const { kind, id, size } = lost;
    const what = `${size} bytes, which is over the limit for receiving (receiveLimit)`;
    if (kind === 'request') this.#reply({ kind: 'failure', id, error: tooLarge(what) });
    else {
      this.#outgoing.failOne(
        Number(id), // one that was sent back as a string is still the id
        'FRAME_TOO_LARGE',
        (method) => `${this.#options.name} answered "${method}" with ${what}.`,
      );
    }
  }

  /** Code of others must not end the reading of the link. */
  #survivedThrow(where: string, thrown: unknown): void {
    this.#tellTrouble({ kind: 'thrown', where, error: toError(thrown) });
  }

  /** A promise that nobody waits for would end the process when it fails. */
  #surviveLater(where: string, returned: unknown): void {
    if (returned instanceof Promise) returned.catch((thrown: unknown) => this.#survivedThrow(where, thrown));
  }

  #tellTrouble(trouble: PeerTrouble): void {
    try {
      const returned = this.#options.onTrouble(trouble);
      // Whoever listens for trouble has nobody left to tell his own.
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // The same.
    }
  }

  #tellObservers(direction: 'sent' | 'received', message: Message | Received): void {
    for (const observer of this.#observers ?? []) {
      try {
        const returned = observer(direction, message);
        if (returned !== undefined) this.#surviveLater('an observer', returned);
      } catch (thrown) {
        this.#survivedThrow('an observer', thrown);
      }
    }
  }

  #endedError(ending: Ending): PluglotError {
    const cause = ending.kind === 'failed' ? ending.error : undefined;
    return new PluglotError(
      'PIPE_ENDED',
      `The pipe to ${this.#options.name} is over: ${describeEnding(ending)}.`,
      { cause },
    );
  }

  /** Nothing more comes. Calls of ours fail now; those of the other end may still be answered when it only closed its side. */
  #end(ending: Ending): void {
    this.#ending = ending;
    this.#tellEnded(ending);
    const error = this.#endedError(ending);
    this.#outgoing.refuse(error);
    this.#outgoing.failAll(error);
    void this.#finishAnswers(ending, error).then(() => {
      this.#link.destroy();
      this.#tellClosed(ending);
    });
  }

  async #finishAnswers(ending: Ending, error: PluglotError): Promise<void> {
    if (ending.kind === 'ended') {
      await Promise.race([this.#idle(), this.#link.unwritable()]);
      await this.#link.finish();
    }
    // Nobody reads any more, even where a process that inherited the pipe keeps it open.
    this.#incoming.abort(error);
  }
}

function tooLarge(what: string): ErrorObject {
  return {
    code: standardErrors.invalidRequest.code,
    message: `${standardErrors.invalidRequest.message}: ${what}`,
  };
}
