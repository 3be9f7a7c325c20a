// One symmetric end on a link: calls the other end, and answers its calls.
import { PluglotError } from '../../base/error.ts';
import { sentence } from '../../base/text.ts';
import { describeEnding, type Ending } from '../bytes/pipe.ts';
import type { Link } from '../link/link.ts';
import type { Id, Message } from '../message/message.ts';
import type { Exchange } from './exchange.ts';
import { IncomingCalls, type Handler } from './incoming-calls.ts';
import {
  resolveOptions,
  type CallOptions,
  type NotificationListener,
  type Observer,
  type OtherNotificationListener,
  type PeerOptions,
  type ResolvedPeerOptions,
} from './options.ts';
import { OutgoingCalls, type BatchCall } from './outgoing-calls.ts';
import { Listeners, Receiver } from './receiver.ts';
import { Responder } from './responder.ts';
import { zeroCounters, type PeerStats } from './stats.ts';

export interface CloseOptions {
  /**
   * What becomes of calls under way: `finish` waits for those in either direction, `answer` for those of the other end alone
   * and fails our own, `abort` fails them all.
   * @default 'finish'
   */
  readonly pending?: 'finish' | 'answer' | 'abort';
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
  readonly #listeners: Listeners;
  #ending: Ending | undefined;
  #idleWaiters: (() => void)[] = [];
  #closing: Promise<void> | undefined;
  #beforeClose: (() => Promise<void>) | undefined;
  #resolveEnded: (ending: Ending) => void = () => {};
  #resolveClosed: (ending: Ending) => void = () => {};
  /** Resolves when nothing more will come, with the reason. Requests that were taken before may still be answered. */
  readonly ended: Promise<Ending>;
  /** Resolves when both directions are over, with the reason. */
  readonly closed: Promise<Ending>;

  constructor(link: Link, options: PeerOptions = {}) {
    this.#link = link;
    this.#options = resolveOptions(options);
    this.#listeners = new Listeners(this.#options.onTrouble);
    const send = (message: Message, about?: Id) => this.#send(message, about);
    const whenIdle = () => this.#checkIdle();
    this.#incoming = new IncomingCalls(this.#options, whenIdle);
    this.#responder = new Responder(link, this.#incoming, send, this.#options, whenIdle);
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
      (thrown) => this.#listeners.threw('a listener of failures', thrown),
      whenIdle,
    );
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    link.open(
      new Receiver(
        {
          outgoing: this.#outgoing,
          incoming: this.#incoming,
          responder: this.#responder,
          listeners: this.#listeners,
          end: (ending) => this.#end(ending),
        },
        this.#options,
        this.#counters,
      ),
    );
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
   * The same, for those who follow each exchange of it: in the order of the calls, undefined for a notification.
   * @throws PluglotError when nothing could be sent now.
   */
  openBatch(calls: readonly BatchCall[], options?: CallOptions): (Exchange | undefined)[] {
    return this.#outgoing.openBatch(calls, options);
  }

  /**
   * False means that enough is queued: await `drained()` before sending more.
   * @param about the request of the other end that it belongs to
   * @throws PluglotError PIPE_FULL when that was not done, PIPE_ENDED when the pipe has ended.
   */
  notify(method: string, params?: unknown, about?: Id): boolean {
    const roomLeft = this.#send({ kind: 'notification', method, params }, about);
    this.#counters.notificationsSent += 1;
    return roomLeft;
  }

  /** Waits until the pipe has room; rejects when it ends first. */
  async drained(about?: Id): Promise<void> {
    try {
      await this.#link.drained(about);
    } catch (error) {
      throw (await this.#reason()) ?? error;
    }
  }

  /** Why the link is over. A failed write is noticed a moment before the reason is known, such as how the process ended. */
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

  /** Answers requests of methods that have no handler of their own; without it they are answered with -32601. */
  handleOthers(handler: Handler): void {
    this.#incoming.handleOthers(handler);
  }

  /** Called for notifications of this method, in wire order; a later listener replaces an earlier one. */
  onNotification(method: string, listener: NotificationListener): void {
    this.#listeners.onNotification(method, listener);
  }

  /** Called for notifications of methods without their own listener; without it they are ignored. */
  onOtherNotifications(listener: OtherNotificationListener): void {
    this.#listeners.onOtherNotifications(listener);
  }

  /** Sees every message from now on; the returned function ends that. */
  observe(observer: Observer): () => void {
    return this.#listeners.observe(observer);
  }

  /** Awaited when the other end has closed its side and has all its answers, before this side is closed: it can still send. Must not reject. */
  beforeClose(work: () => Promise<void>): void {
    this.#beforeClose = work;
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
    else if (pending === 'answer') this.#outgoing.failAll(error);
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

  #send(message: Message, about?: Id): boolean {
    if (this.#ending !== undefined && this.#ending.kind !== 'ended') throw this.#endedError(this.#ending);
    const roomLeft = this.#link.send(message, about);
    this.#listeners.observed('sent', message);
    return roomLeft;
  }

  #endedError(ending: Ending): PluglotError {
    const cause = ending.kind === 'failed' ? ending.error : undefined;
    return new PluglotError(
      'PIPE_ENDED',
      `The pipe to ${this.#options.name} is over: ${sentence(describeEnding(ending))}`,
      { cause },
    );
  }

  /** Nothing more comes. Calls of ours fail now; those of the other end may still be answered when it only closed its side. */
  #end(ending: Ending): void {
    this.#ending = ending;
    this.#resolveEnded(ending);
    const error = this.#endedError(ending);
    this.#outgoing.refuse(error);
    this.#outgoing.failAll(error);
    void this.#finishAnswers(ending, error).then(() => {
      this.#link.destroy();
      this.#resolveClosed(ending);
    });
  }

  async #finishAnswers(ending: Ending, error: PluglotError): Promise<void> {
    if (ending.kind === 'ended') {
      const unwritable = this.#link.unwritable();
      await Promise.race([this.#idle(), unwritable]);
      if (this.#beforeClose !== undefined) await Promise.race([this.#beforeClose(), unwritable]);
      await this.#link.finish();
    }
    // The other end does not read any more, even if a process that inherited the pipe keeps it open.
    this.#incoming.abort(error);
  }
}
