// Why a process ended, as it may be shown: it says what the plugin said and printed.
import { PluglotError } from '../../base/error.ts';
import type { Secrets } from '../../base/secrets.ts';

/** The same error where there is nothing to hide. What caused it is left out otherwise, since it says the same. */
export function shownError(error: PluglotError, secrets: Pick<Secrets, 'mask' | 'maskKnown'>): PluglotError {
  const message = secrets.maskKnown(error.message);
  const stderr = error.stderr && secrets.mask(error.stderr, 'piece');
  return message === error.message && stderr === error.stderr
    ? error
    : new PluglotError(error.code, message, { stderr });
}
