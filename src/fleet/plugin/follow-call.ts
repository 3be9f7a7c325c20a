// Hears what a call says and how it ends, without the promises that each step of an iteration takes.
import { toError } from '../../base/error.ts';
import type { CallEvent, Outcome } from '../../definition/outcome.ts';
import type { Call } from './call.ts';

/** One that tells by itself. */
export interface TellingCall extends Call {
  /** Tells what was said until now, and from now on what is said. */
  tellTo(listener: (event: CallEvent) => void): void;
}

/** The outcome, after all that was said before it. Rejects with what the listener throws. */
export async function followCall(call: Call, listener: (event: CallEvent) => void): Promise<Outcome> {
  if (!isTelling(call)) {
    for await (const event of call) listener(event);
    return call.outcome;
  }
  let failure: Error | undefined;
  call.tellTo((event) => {
    try {
      if (failure === undefined) listener(event);
    } catch (thrown) {
      failure = toError(thrown);
    }
  });
  const outcome = await call.outcome;
  if (failure !== undefined) throw failure;
  return outcome;
}

function isTelling(call: Call): call is TellingCall {
  return 'tellTo' in call;
}
