// Another attempt at a task that the executor was not able to begin, or may do better: each twice as late as the one before, with some
// chance in it so that hosts which were refused together do not come back together, and never beyond the limit of the call.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Answer, CallFailure } from '../../definition/outcome.ts';
import { methods } from './schema.ts';

export interface RetryOptions {
  /** How many attempts may follow the first. */
  readonly retries: number;
  /** The other end knows more than the specification: every task gets an idempotency key. */
  readonly addsKeys: boolean;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** One that has failed. */
export interface Attempted {
  readonly method: string;
  readonly params: object;
  /** From 1. */
  readonly attempt: number;
  /** Something of it was handed out already, which cannot be taken back. */
  readonly hasStreamed: boolean;
  /** When nobody waits any more; Infinity when that is not known. */
  readonly deadline: number;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

/** Refused before anything was done. */
const refused: ReadonlySet<string> = new Set(['RATE_LIMITED', 'UNAVAILABLE', 'TOO_MANY_CALLS']);

export class Retries {
  readonly #options: RetryOptions;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /** All attempts are made with these. */
  paramsOf(method: string, params: object): object {
    if (method !== methods.executeTask || this.#options.retries === 0 || !this.#options.addsKeys)
      return params;
    if (keyIn(params) !== undefined) return params;
    const { context }: { context?: unknown } = params;
    // What is no object is the caller's mistake, and is passed on as it is.
    if (context !== undefined && !isJsonObject(context)) return params;
    return { ...params, context: { ...context, idempotency_key: randomUUID() } };
  }

  /** Milliseconds until the next attempt; undefined when there is none. */
  delayAfter(attempted: Attempted, answer: Answer): number | undefined {
    const { method, params, attempt, hasStreamed, deadline } = attempted;
    if (answer.ok || method !== methods.executeTask || hasStreamed) return undefined;
    if (attempt > this.#options.retries || !isTemporary(answer.error, keyIn(params) !== undefined))
      return undefined;
    const { clock, random } = this.#options;
    const longest = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
    const delayMs = Math.max(longest * (0.5 + random() / 2), wantedDelay(answer.error));
    return clock.now() + delayMs < deadline ? delayMs : undefined;
  }
}

/** What was begun and failed may be done twice only where the executor can tell that it is the same. */
function isTemporary({ code, recoverable }: CallFailure, hasKey: boolean): boolean {
  if (recoverable === false) return false;
  return refused.has(code) || (recoverable === true && hasKey);
}

/** Our own ends say when there is room again. */
function wantedDelay({ data }: CallFailure): number {
  const wanted = isJsonObject(data) ? data['retry_after_ms'] : undefined;
  return typeof wanted === 'number' && wanted > 0 ? wanted : 0;
}

function keyIn(params: object): string | undefined {
  const { context }: { context?: unknown } = params;
  const key = isJsonObject(context) ? (context satisfies JsonObject)['idempotency_key'] : undefined;
  return typeof key === 'string' ? key : undefined;
}
