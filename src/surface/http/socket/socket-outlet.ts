// Events as text frames of a WebSocket. It only tells: what a client says is not wanted, and ends it.
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Clock } from '../../../base/clock.ts';
import type { HttpLimits } from '../limits.ts';
import type { OutgoingEvent, Outlet } from '../outlet.ts';

/** Signs of life that a client may send between two beats; of twice as many it is not told any more. */
const FRAMES_MAX = 100;

export class SocketOutlet implements Outlet {
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #limits: Pick<HttpLimits, 'stallMs' | 'closeMs'>;
  readonly #clock: Clock;
  #frames = 0;
  #callOffPong: (() => void) | undefined;
  #callOffClose: (() => void) | undefined;

  constructor(
    webSocket: WebSocket,
    socket: Socket,
    limits: Pick<HttpLimits, 'stallMs' | 'closeMs'>,
    clock: Clock,
  ) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#limits = limits;
    this.#clock = clock;
    // What breaks the protocol or is too large is answered with its code by then.
    webSocket.on('error', () => this.#watchClose());
    webSocket.on('message', () => {
      this.#count();
      this.close(1008, 'Nothing is taken here.');
    });
    webSocket.on('ping', (data) => {
      this.#count();
      if (this.#isOpen && this.waitingBytes === 0) webSocket.pong(data);
    });
    webSocket.on('pong', () => {
      this.#count();
      this.#callOffPong?.();
      this.#callOffPong = undefined;
    });
    // A client that took leave, or hung up, has to be gone soon.
    socket.once('finish', () => this.#watchClose());
    socket.once('close', () => {
      this.#callOffPong?.();
      this.#callOffClose?.();
    });
  }

  get waitingBytes(): number {
    return this.#socket.writableLength;
  }

  write({ name, data, id }: OutgoingEvent): boolean {
    if (this.#isOpen)
      this.#webSocket.send(JSON.stringify({ event: name, ...(id !== undefined && { id }), data }));
    return !this.#socket.writableNeedDrain;
  }

  /** Whoever does not answer is not there any more. */
  beat(): boolean {
    this.#frames = 0;
    if (this.#isOpen) this.#webSocket.ping();
    this.#callOffPong ??= this.#clock.after(this.#limits.stallMs, () => this.destroy());
    return !this.#socket.writableNeedDrain;
  }

  end(): void {
    this.close(1000, '');
  }

  /** The client has a moment to take leave, too. */
  close(code: number, reason: string): void {
    if (this.#isOpen) this.#webSocket.close(code, reason);
    this.#watchClose();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  onDrained(listener: () => void): void {
    this.#socket.on('drain', listener);
  }

  onClosed(listener: () => void): void {
    if (this.#socket.destroyed) listener();
    else this.#socket.once('close', listener);
  }

  get #isOpen(): boolean {
    return this.#webSocket.readyState === this.#webSocket.OPEN;
  }

  #count(): void {
    this.#frames += 1;
    if (this.#frames > 2 * FRAMES_MAX) this.destroy();
    else if (this.#frames > FRAMES_MAX) this.close(1008, 'Too much was said.');
  }

  #watchClose(): void {
    if (this.#socket.destroyed) return;
    this.#callOffClose ??= this.#clock.after(this.#limits.closeMs, () => this.destroy());
  }
}
