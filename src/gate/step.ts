// From one stage of the gate to the next: at once where the answer is there, with a limit where it is not, and what breaks denies.
import { formatDuration } from '../base/duration.ts';
import { toError } from '../base/error.ts';
import { late } from '../base/within.ts';
import { over, type Attempt } from './attempt.ts';
import { Denial, permissionDenied } from './denial.ts';

/** How long one of our own parts may take to decide something. */
export const STAGE_MS = 10_000;

/** Most calls are decided on without a single wait, so nothing here makes a promise unless a stage does. */
export function step<Value, Next>(
  attempt: Attempt,
  what: string,
  stage: () => Value | PromiseLike<Value>,
  next: (value: Exclude<Value, Denial>) => Next | Denial | Promise<Next | Denial>,
): Next | Denial | Promise<Next | Denial> {
  let value: Value | PromiseLike<Value>;
  try {
    value = stage();
  } catch (thrown) {
    return broken(what, thrown);
  }
  if (!isPromise(value)) return goOn(value, next);
  return attempt.wait(value, STAGE_MS).then(
    (waited) => {
      if (waited === over) return cancelled(attempt);
      if (waited === late)
        return broken(what, new Error(`no answer came within ${formatDuration(STAGE_MS)}`));
      return goOn(waited, next);
    },
    (thrown: unknown) => broken(what, thrown),
  );
}

function goOn<Value, Next>(
  value: Value,
  next: (value: Exclude<Value, Denial>) => Next | Denial | Promise<Next | Denial>,
): Next | Denial | Promise<Next | Denial> {
  // What is no denial is anything else of it: the line before.
  return value instanceof Denial ? value : next(value as Exclude<Value, Denial>);
}

export function broken(what: string, thrown: unknown): Denial {
  const why = toError(thrown).message.slice(0, 300);
  return permissionDenied('broken', `${what} does not work (${why}), and what cannot be decided is denied`);
}

export function cancelled(attempt: Attempt): Denial {
  const reason = attempt.ending ?? 'It was given up.';
  return new Denial('cancelled', { code: 'CALL_CANCELLED', message: reason });
}

export function isPromise<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
