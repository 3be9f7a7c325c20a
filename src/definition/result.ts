// What a handler returns to say more than text or data alone.
import type { AnswerContent } from './outcome.ts';

/** The same in every copy of this module: a plugin may bring its own, and run in the process of a host that has another. */
const brand: unique symbol = Symbol.for('pluglot.result');

/** Made by `result()`. */
export interface Result<Data = unknown> extends ResultContent<Data> {
  readonly [brand]: true;
}

export interface ResultContent<Data = unknown> extends Omit<AnswerContent, 'data'> {
  readonly data?: Data;
}

/** Text, data and named outputs at once; and whether the plugin wants what the user says next. */
export function result<const Data>(content: ResultContent<Data>): Result<Data> {
  return { ...content, [brand]: true };
}

export function isResult(value: unknown): value is Result {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand);
}
