// Decides whether and when a failed plugin is restarted.
import type { Clock } from '../../base/clock.ts';
import type { ErrorCode } from '../../base/error.ts';
import type { RestartSpec } from '../../definition/plugin-spec.ts';

/** A start that failed with one of these codes would fail again. */
const PERMANENT: ReadonlySet<ErrorCode> = new Set([
  'CONFIG_INVALID',
  'DIALECT_UNKNOWN',
  'NOT_TRUSTED',
  'PLUGIN_STOPPED',
  'PROGRAM_NOT_FOUND',
  'PROTOCOL_VIOLATION',
  'REQUIREMENT_MISSING',
  'UNAUTHENTICATED',
  'UNSUPPORTED_PROTOCOL',
]);

export class RestartBudget {
  readonly max: number;
  readonly withinMs: number;
  readonly #firstDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #stableMs: number;
  readonly #clock: Clock;
  readonly #random: () => number;
  /** When the restarts that still count were granted. */
  #granted: number[] = [];
  #inARow = 0;

  constructor(spec: RestartSpec, clock: Clock, random: () => number) {
    this.max = spec.max ?? 5;
    this.withinMs = spec.withinMs ?? 180_000;
    this.#firstDelayMs = spec.firstDelayMs ?? 200;
    this.#maxDelayMs = spec.maxDelayMs ?? 30_000;
    this.#stableMs = spec.stableMs ?? 60_000;
    this.#clock = clock;
    this.#random = random;
  }

  reset(): void {
    this.#granted = [];
    this.#inARow = 0;
  }

  /** The delay before the next start; undefined if the budget is used up. Up to half of it is random, so that a fleet does not start all at once. */
  afterFailure(uptimeMs: number): number | undefined {
    if (uptimeMs >= this.#stableMs) this.reset();
    const now = this.#clock.now();
    this.#granted = this.#granted.filter((at) => now - at < this.withinMs);
    if (this.#granted.length >= this.max) return undefined;
    this.#granted.push(now);
    const delayMs = Math.min(this.#maxDelayMs, this.#firstDelayMs * 2 ** Math.min(this.#inARow, 30));
    this.#inARow += 1;
    return delayMs * (0.5 + this.#random() / 2);
  }
}

/** Whether another start may help after this code. */
export function isWorthAnotherTry(code: ErrorCode): boolean {
  return !PERMANENT.has(code);
}
