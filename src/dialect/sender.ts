// Notifications to a host that may not read them in time: what waits here is bounded.
import { PluglotError } from '../base/error.ts';
import { Fifo } from '../base/queue.ts';
import { DEFAULT_QUEUE_LIMIT } from '../base/units.ts';
import type { Id } from '../channel/message/message.ts';
import type { Peer } from '../channel/peer/peer.ts';

export interface Notification {
  readonly method: string;
  readonly params: unknown;
}

export interface SizedNotification extends Notification {
  /** About how many characters it has. */
  readonly size: number;
}

/** Holds notifications, in order, while the pipe has no room. Responses are not held here and may overtake them. */
export class QueuedSender {
  readonly #peer: Pick<Peer, 'notify' | 'drained'>;
  readonly #limit: number;
  readonly #queue = new Fifo<SizedNotification>();
  /** The first of the queue: the pipe was full when it was tried. */
  #first: SizedNotification | undefined;
  #queuedSize = 0;
  #isWaiting = false;
  #whenDrained: (() => void)[] = [];

  /** @param limit in characters */
  constructor(peer: Pick<Peer, 'notify' | 'drained'>, limit: number = DEFAULT_QUEUE_LIMIT) {
    this.#peer = peer;
    this.#limit = limit;
  }

  /** Sends it, now or when there is room. False: the queue is at its limit, and it is dropped. */
  offer(notification: SizedNotification): boolean {
    if (this.#queuedSize > this.#limit) return false;
    this.send(notification);
    return true;
  }

  /** Beyond the limit too, for what must not be lost, such as the end of a call. */
  send(notification: SizedNotification): void {
    this.#queue.push(notification);
    this.#queuedSize += notification.size;
    this.#pump();
  }

  /** Whether the next notification would go out at once. */
  get hasRoom(): boolean {
    return !this.#isWaiting;
  }

  /** Resolves when the queue is empty and there is room for more, or the pipe has ended. Never rejects. */
  drained(): Promise<void> {
    if (!this.#isWaiting) return Promise.resolve();
    return new Promise((resolve) => this.#whenDrained.push(resolve));
  }

  #pump(): void {
    while (!this.#isWaiting) {
      const next = this.#first ?? this.#queue.shift();
      if (next === undefined) break;
      this.#first = this.#isTaken(next) ? undefined : next;
      if (this.#first === undefined) this.#queuedSize -= next.size;
    }
    if (!this.#isWaiting) for (const resolve of this.#whenDrained.splice(0)) resolve();
  }

  /** Any failure but a full pipe is final: the notification is dropped. */
  #isTaken({ method, params }: Notification): boolean {
    try {
      if (!this.#peer.notify(method, params)) this.#wait();
      return true;
    } catch (error) {
      if (!hasCode(error, 'PIPE_FULL')) return true;
      this.#wait();
      return false;
    }
  }

  #wait(): void {
    this.#isWaiting = true;
    const resume = () => {
      this.#isWaiting = false;
      this.#pump();
    };
    // In the next turn of the event loop: responses that wait for the same room are older and go first.
    this.#peer.drained().then(() => setImmediate(resume), resume);
  }
}

/** Holds nothing, so that no response overtakes a notification: what a full pipe does not take is dropped and counted. */
export class DroppingSender {
  readonly #peer: Pick<Peer, 'notify'>;
  readonly #reportLost: (count: number) => Notification;
  #lost = 0;

  /** @param reportLost is sent before the next notification that the pipe takes */
  constructor(peer: Pick<Peer, 'notify'>, reportLost: (count: number) => Notification) {
    this.#peer = peer;
    this.#reportLost = reportLost;
  }

  /**
   * @param about the request of the host that it belongs to
   * @throws PluglotError FRAME_TOO_LARGE or UNENCODABLE
   */
  send(notification: Notification, about?: Id): void {
    if (this.#lost > 0 && this.#isTaken(this.#reportLost(this.#lost))) this.#lost = 0;
    if (!this.#isTaken(notification, about)) this.#lost += 1;
  }

  #isTaken({ method, params }: Notification, about?: Id): boolean {
    try {
      this.#peer.notify(method, params, about);
      return true;
    } catch (error) {
      if (!hasCode(error, 'PIPE_FULL') && !hasCode(error, 'PIPE_ENDED')) throw error;
      return false;
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof PluglotError && error.code === code;
}
