// Events to one client. One that does not read costs a bounded amount of memory, for a bounded time.
import type { Clock } from '../../base/clock.ts';
import type { HttpLimits } from './limits.ts';
import type { OutgoingEvent, Outlet } from './outlet.ts';

export type StreamLimits = Pick<HttpLimits, 'stallMs' | 'waitingBytes' | 'heartbeatMs'>;

export class EventStream {
  readonly #outlet: Outlet;
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  readonly #whenClosed: (() => void)[] = [];
  #wakers: (() => void)[] = [];
  #isClosed = false;
  #dropped = 0;
  #callOffStall: (() => void) | undefined;
  #callOffBeat: () => void;

  constructor(outlet: Outlet, limits: StreamLimits, clock: Clock) {
    this.#outlet = outlet;
    this.#limits = limits;
    this.#clock = clock;
    this.#callOffBeat = clock.after(limits.heartbeatMs, () => this.#beat());
    outlet.onDrained(() => this.#drained());
    outlet.onClosed(() => this.#closed());
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
    if (!this.#write({ name, data })) await new Promise<void>((resolve) => this.#wakers.push(resolve));
  }

  /** For what can be lost: it is, and is counted, where too much waits for this client. */
  offer(name: string, data: unknown, id?: number): boolean {
    if (this.#isClosed) return false;
    if (this.isFull) {
      this.#dropped += 1;
      return false;
    }
    this.#write({ name, data, id });
    return true;
  }

  get isFull(): boolean {
    return this.#outlet.waitingBytes >= this.#limits.waitingBytes;
  }

  end(): void {
    if (this.#isClosed) return;
    this.#outlet.end();
    this.#watchStall();
  }

  #write(event: OutgoingEvent): boolean {
    const isRoom = this.#outlet.write(event);
    if (!isRoom) this.#watchStall();
    return isRoom || this.#isClosed;
  }

  #beat(): void {
    // Who has something left to read needs no sign of life.
    if (this.#outlet.waitingBytes === 0 && !this.#outlet.beat()) this.#watchStall();
    this.#callOffBeat = this.#clock.after(this.#limits.heartbeatMs, () => this.#beat());
  }

  #watchStall(): void {
    this.#callOffStall ??= this.#clock.after(this.#limits.stallMs, () => this.#outlet.destroy());
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
