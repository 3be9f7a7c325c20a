// Server-sent events to one client. A client that does not read costs a bounded amount of memory, for a bounded time.
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { HttpLimits } from './limits.ts';

export type StreamLimits = Pick<HttpLimits, 'stallMs' | 'waitingBytes' | 'heartbeatMs'>;

export class EventStream {
  readonly #response: ServerResponse;
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  readonly #whenClosed: (() => void)[] = [];
  #wakers: (() => void)[] = [];
  #isClosed = false;
  #dropped = 0;
  #callOffStall: (() => void) | undefined;
  #callOffBeat: () => void;

  constructor(response: ServerResponse, limits: StreamLimits, clock: Clock) {
    this.#response = response;
    this.#limits = limits;
    this.#clock = clock;
    this.#callOffBeat = clock.after(limits.heartbeatMs, () => this.#beat());
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    // Events of the same moment go with the head.
    response.cork();
    response.flushHeaders();
    setImmediate(() => response.uncork());
    response.on('drain', () => this.#drained());
    if (response.destroyed || response.closed) this.#closed();
    else response.once('close', () => this.#closed());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Called at once where it is over already. */
  onClosed(callback: () => void): void {
    if (this.#isClosed) callback();
    else this.#whenClosed.push(callback);
  }

  /** For what must not be lost: resolves when the client can take more, or is gone. */
  async send(name: string, data: unknown): Promise<void> {
    if (this.#isClosed) return;
    if (!this.#write(textOf(name, data))) await new Promise<void>((resolve) => this.#wakers.push(resolve));
  }

  /** For what can be lost: it is, and is counted, where too much waits for this client. */
  offer(name: string, data: unknown, id?: number): boolean {
    if (this.#isClosed) return false;
    if (this.isFull) {
      this.#dropped += 1;
      return false;
    }
    this.#write(textOf(name, data, id));
    return true;
  }

  get isFull(): boolean {
    return this.#response.writableLength >= this.#limits.waitingBytes;
  }

  end(): void {
    if (this.#isClosed) return;
    this.#response.end();
    this.#watchStall();
  }

  #write(text: string): boolean {
    const hasRoom = this.#response.write(text);
    if (!hasRoom) this.#watchStall();
    return hasRoom || this.#isClosed;
  }

  #beat(): void {
    // A client with unread events needs no sign of life.
    if (this.#response.writableLength === 0 && !this.#response.write(':\n\n')) this.#watchStall();
    this.#callOffBeat = this.#clock.after(this.#limits.heartbeatMs, () => this.#beat());
  }

  #watchStall(): void {
    this.#callOffStall ??= this.#clock.after(this.#limits.stallMs, () => void this.#response.destroy());
  }

  #drained(): void {
    this.#callOffStall?.();
    this.#callOffStall = undefined;
    this.#wake();
    const count = this.#dropped;
    this.#dropped = 0;
    if (count > 0) this.offer('dropped', { count });
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#callOffStall?.();
    this.#callOffBeat();
    this.#wake();
    for (const callback of this.#whenClosed.splice(0)) callback();
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}

/** JSON has no line breaks, so that it is one line. */
function textOf(name: string, data: unknown, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
