// Notifications on their way to the host: in order, as fast as it reads, and never more waiting than the memory should bear.
import { PluglotError } from '../../base/error.ts';
import { Fifo } from '../../base/fifo.ts';
import { DEFAULT_QUEUE_LIMIT } from '../../base/limits.ts';
import type { Peer } from '../../channel/peer/peer.ts';

export interface Notification {
  readonly method: 'stream' | 'complete' | 'error' | 'log';
  readonly params: object;
  /** About how many characters it has. */
  readonly size: number;
}

export class Outbox {
  readonly #peer: Pick<Peer, 'notify' | 'drained'>;
  readonly #limit: number;
  readonly #queue = new Fifo<Notification>();
  /** The first of those that wait: the pipe was full when it was its turn. */
  #first: Notification | undefined;
  #queued = 0;
  #isWaiting = false;
  #whenDrained: (() => void)[] = [];

  constructor(peer: Pick<Peer, 'notify' | 'drained'>, limit: number = DEFAULT_QUEUE_LIMIT) {
    this.#peer = peer;
    this.#limit = limit;
  }

  /** Sends it, now or when there is room. False: too much waits already, and it is dropped. */
  offer(notification: Notification): boolean {
    if (this.#queued > this.#limit) return false;
    this.send(notification);
    return true;
  }

  /** For what must not be lost, such as the end of a call, of which there are no more than calls. */
  send(notification: Notification): void {
    this.#queue.push(notification);
    this.#queued += notification.size;
    this.#pump();
  }

  /** Resolves when nothing waits here and there is room for more. */
  drained(): Promise<void> {
    if (!this.#isWaiting) return Promise.resolve();
    return new Promise((resolve) => this.#whenDrained.push(resolve));
  }

  #pump(): void {
    while (!this.#isWaiting) {
      const next = this.#first ?? this.#queue.shift();
      if (next === undefined) break;
      this.#first = this.#isTaken(next) ? undefined : next;
      if (this.#first === undefined) this.#queued -= next.size;
    }
    if (!this.#isWaiting) for (const resolve of this.#whenDrained.splice(0)) resolve();
  }

  #isTaken({ method, params }: Notification): boolean {
    try {
      if (!this.#peer.notify(method, params)) this.#wait();
      return true;
    } catch (error) {
      // Whatever else is wrong with it or with the pipe, it will not be better later.
      if (!(error instanceof PluglotError && error.code === 'PIPE_FULL')) return true;
      this.#wait();
      return false;
    }
  }

  #wait(): void {
    this.#isWaiting = true;
    const goOn = () => {
      this.#isWaiting = false;
      this.#pump();
    };
    // In a turn of its own, so that responses that wait for the same room, which are older, go first.
    this.#peer.drained().then(
      () => setImmediate(goOn),
      () => goOn(),
    );
  }
}
