// Sends the answers. While the other end does not read them, its requests wait; when too many do, reading from it stops.
import type { Clock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { Fifo } from '../../base/queue.ts';
import { DEFAULT_QUEUE_LIMIT } from '../../base/units.ts';
import type { Link } from '../link/link.ts';
import type { Batch, Message, Response } from '../message/message.ts';
import { standardErrors } from '../message/rpc-error.ts';

export type Answer = Response | Batch<Response>;

/** The part of a link that answering needs. */
type AnswerLink = Pick<Link, 'destroy' | 'drained' | 'isFull' | 'pause' | 'resume'>;

export interface ResponderOptions {
  readonly name: string;
  /** How long the other end may leave its answers unread. */
  readonly stallTimeoutMs: number;
  readonly maxHandling: number;
  readonly clock: Clock;
}

/** The requests, which wait while their answers could not be sent. */
interface Requests {
  /** How many run or wait. */
  readonly size: number;
  hold(): void;
  release(): void;
}

/** How many bytes of requests are taken in while answers wait. */
const KEPT_BYTES_MAX = DEFAULT_QUEUE_LIMIT;

export class Responder {
  readonly #link: AnswerLink;
  readonly #requests: Requests;
  readonly #send: (message: Message) => boolean;
  readonly #options: ResponderOptions;
  readonly #whenIdle: () => void;
  /** Answers that wait for room: at most as many as requests were running when the pipe became full. */
  readonly #backlog = new Fifo<Answer>();
  #full = false;
  /** The wait for room that counts; one that a stall has ended does not. */
  #wait: object | undefined;
  /** Requests and answers that wait, and about how many bytes of input they are. */
  #kept = 0;
  #keptBytes = 0;
  /** Bytes of input since the last time that more was kept. */
  #bytesSince = 0;

  constructor(
    link: AnswerLink,
    requests: Requests,
    send: (message: Message) => boolean,
    options: ResponderOptions,
    whenIdle: () => void,
  ) {
    this.#link = link;
    this.#requests = requests;
    this.#send = send;
    this.#options = options;
    this.#whenIdle = whenIdle;
  }

  get size(): number {
    return this.#backlog.size;
  }

  /**
   * So many bytes are about to be handed out. Reading goes on while answers wait: the other end may be in the same state,
   * and two ends that stop reading wait for each other for ever. But what that leaves here has its limits.
   */
  chunkStart(size: number): void {
    if (!this.#full) return;
    this.#measure();
    this.#bytesSince += size;
    if (this.#kept >= this.#options.maxHandling || this.#keptBytes >= KEPT_BYTES_MAX) this.#link.pause();
  }

  respond(answer: Answer): void {
    if (!this.#full && this.#link.isFull) this.#block();
    if (this.#full) this.#backlog.push(answer);
    else this.#deliver(answer);
  }

  #deliver(answer: Answer): void {
    try {
      this.#send(answer);
    } catch (thrown) {
      this.#deliverInstead(answer, toError(thrown));
    }
  }

  /** An answer that cannot be sent as it is becomes one that can: the caller must not wait for nothing. */
  #deliverInstead(answer: Answer, error: Error): void {
    if (error instanceof PluglotError && error.code === 'PIPE_ENDED') return;
    if (answer.kind === 'batch') {
      const later = this.#backlog.takeAll();
      for (const next of [...answer.items, ...later]) this.respond(next);
      return;
    }
    const { code } = standardErrors.internalError;
    try {
      this.#send({ kind: 'failure', id: answer.id, error: { code, message: error.message } });
    } catch {
      // Not even that fits the limit of this link; the caller's time limit is what is left.
    }
  }

  #block(): void {
    this.#full = true;
    this.#measure();
    this.#bytesSince = 0;
    this.#requests.hold();
    this.#waitForRoom();
  }

  #waitForRoom(): void {
    const wait = (this.#wait = {});
    const cancelStall = this.#options.clock.after(this.#options.stallTimeoutMs, () => this.#stalled());
    this.#link
      .drained()
      .finally(cancelStall)
      .then(
        () => {
          if (this.#wait === wait) this.#unblock();
        },
        () => this.#giveUp(),
      );
  }

  #stalled(): void {
    // It reads, only slowly: there is room for another answer, though not yet for a stream of them.
    if (!this.#link.isFull) {
      this.#unblock();
      return;
    }
    const { name, stallTimeoutMs } = this.#options;
    const message = `${name} asked for more than it read: its answers have filled the pipe for ${stallTimeoutMs} ms`;
    this.#link.destroy({ kind: 'failed', error: new PluglotError('PIPE_FULL', message) });
  }

  #measure(): void {
    const kept = this.#requests.size + this.#backlog.size;
    if (kept < this.#kept) this.#keptBytes *= kept / this.#kept;
    else if (kept > this.#kept) {
      this.#keptBytes += this.#bytesSince;
      this.#bytesSince = 0;
    }
    this.#kept = kept;
  }

  /** Until the backlog is empty, `#full` keeps an answer that comes meanwhile from overtaking those that wait. */
  #unblock(): void {
    while (this.#backlog.size > 0 && !this.#link.isFull) {
      const answer = this.#backlog.shift();
      if (answer !== undefined) this.#deliver(answer);
    }
    if (this.#backlog.size > 0) this.#waitForRoom();
    else {
      this.#wait = undefined;
      this.#full = false;
      this.#requests.release();
    }
    this.#link.resume();
    this.#whenIdle();
  }

  /** Answers cannot be read any more. What the other end still sends is read, up to its end. */
  #giveUp(): void {
    this.#wait = undefined;
    this.#full = false;
    this.#backlog.takeAll();
    this.#requests.release();
    this.#link.resume();
    this.#whenIdle();
  }
}
