// How author code says that a call failed, and how anything that was thrown is read.
import { PluglotError, toError, type ErrorCode } from '../base/error.ts';
import { textOf } from '../base/shown.ts';
import type { AnswerContent, CallFailure } from './outcome.ts';

/** What an author says of a failure; each dialect puts it into its own words. */
export interface FailureOptions extends Omit<CallFailure, 'code' | 'wireCode' | 'stderr'> {
  /** @default 'TOOL_FAILED' */
  readonly code?: ErrorCode;
  /** What was found before it failed. */
  readonly partial?: AnswerContent;
}

/**
 * Ends a call as failed.
 * @throws always
 */
export function fail(failure: string | FailureOptions): never {
  throw new Failure(typeof failure === 'string' ? { message: failure } : failure);
}

/** The same in every copy of this module: a plugin may bring its own, and run in the process of a host that has another. */
const brand: unique symbol = Symbol.for('pluglot.failure');

/** What `fail` throws. Whoever wants to throw later makes one. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly [brand] = true;
  readonly failure: CallFailure;
  readonly partial: AnswerContent;

  constructor({ partial = {}, code = 'TOOL_FAILED', ...failure }: FailureOptions) {
    super(failure.message);
    this.failure = { code, ...failure };
    this.partial = partial;
  }
}

export function isFailure(thrown: unknown): thrown is Failure {
  return thrown instanceof Error && brand in thrown;
}

/** A failure as it is told to callers. Of an error that was not meant for them only the message is told, and the stack when asked for. */
export function failureOf(thrown: unknown, { debug = false } = {}): CallFailure {
  if (isFailure(thrown)) return thrown.failure;
  if (thrown instanceof PluglotError) {
    // What an author failed with at setup says more than the error that carries it.
    if (isFailure(thrown.cause)) return { ...thrown.cause.failure, message: thrown.message };
    return { code: thrown.code, message: thrown.message };
  }
  const { message, name, stack } = readable(thrown);
  return {
    code: 'INTERNAL',
    message: message === '' ? `${name} without a message` : message,
    ...(debug && stack !== undefined ? { details: { stack } } : {}),
  };
}

/** People throw anything, even what fails again when it is read. */
function readable(thrown: unknown): { message: string; name: string; stack?: string | undefined } {
  try {
    const { message, name, stack } = toError(thrown);
    return { message: textOf(message), name: textOf(name), stack };
  } catch {
    return { message: `something was thrown that cannot be shown (${typeof thrown})`, name: 'Error' };
  }
}
