// Sends the answers. When the other end does not read them, reading from it stops: that is the backpressure toward it.
import type { Clock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { Fifo } from '../../base/fifo.ts';
import type { Link } from '../link/link.ts';
import type { Batch, Message, Response } from '../message/message.ts';
import { standardErrors } from '../message/rpc-error.ts';

export type Answer = Response | Batch<Response>;

/** The part of a link that answering needs. */
type AnswerLink = Pick<Link, 'destroy' | 'drained' | 'isFull' | 'pause' | 'resume'>;

export interface ResponderOptions {
  readonly name: string;
  /** How long the other end may leave its answers unread. Two ends that both wait for the other to read are told apart by nothing else. */
  readonly stallTimeoutMs: number;
  readonly clock: Clock;
}

export class Responder {
  readonly #link: AnswerLink;
  readonly #send: (message: Message) => boolean;
  readonly #options: ResponderOptions;
  readonly #whenIdle: () => void;
  /** Answers that wait for room: at most as many as requests were running when the pipe became full. */
  readonly #backlog = new Fifo<Answer>();
  #full = false;

  constructor(
    link: AnswerLink,
    send: (message: Message) => boolean,
    options: ResponderOptions,
    whenIdle: () => void,
  ) {
    this.#link = link;
    this.#send = send;
    this.#options = options;
    this.#whenIdle = whenIdle;
  }

  get size(): number {
    return this.#backlog.size;
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
      for (const response of answer.items) this.respond(response);
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
    this.#link.pause();
    const cancelStall = this.#options.clock.after(this.#options.stallTimeoutMs, () => this.#stalled());
    this.#link
      .drained()
      .finally(cancelStall)
      .then(
        () => this.#unblock(),
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

  #unblock(): void {
    this.#full = false;
    while (!this.#full) {
      const answer = this.#backlog.shift();
      if (answer === undefined) {
        this.#link.resume();
        this.#whenIdle();
        return;
      }
      this.respond(answer);
    }
  }

  /** Nobody can read the answers any more. What the other end still sends is read, up to its end. */
  #giveUp(): void {
    this.#full = false;
    this.#backlog.takeAll();
    this.#link.resume();
    this.#whenIdle();
  }
}
