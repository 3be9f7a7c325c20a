// How many requests a minute are taken, where whoever runs the plugin has set a limit.
import type { Clock } from '../../base/clock.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import { wireErrorOf } from './codes.ts';

const MINUTE_MS = 60_000;

export class RateLimit {
  readonly #clock: Clock;
  /** When the last so many were taken, the oldest at the mark. */
  readonly #taken: number[];
  #mark = 0;

  constructor(perMinute: number, clock: Clock) {
    this.#clock = clock;
    this.#taken = Array.from({ length: perMinute }, () => -Infinity);
  }

  /** @throws RpcError when there were too many */
  admit(): void {
    const now = this.#clock.now();
    const waitMs = (this.#taken[this.#mark] ?? -Infinity) + MINUTE_MS - now;
    if (waitMs > 0) throw this.#tooMany(waitMs);
    this.#taken[this.#mark] = now;
    this.#mark = (this.#mark + 1) % this.#taken.length;
  }

  #tooMany(waitMs: number): RpcError {
    const { wireCode, name, type } = wireErrorOf('RATE_LIMITED');
    return new RpcError(wireCode, name, {
      type,
      details: `No more than ${this.#taken.length} requests a minute are taken.`,
      retry_after_ms: Math.ceil(waitMs),
      recovery_suggestions: [`Ask again in ${Math.ceil(waitMs / 1000)} s.`],
    });
  }
}
