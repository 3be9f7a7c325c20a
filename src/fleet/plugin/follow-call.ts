// Hears what a call says and how it ends, without the promises that each step of an iteration takes.
import type { CallEvent, Outcome } from '../../definition/outcome.ts';
import type { Call } from './call.ts';

/** One that tells by itself. */
export interface TellingCall extends Call {
  /** Tells what was said until now, and from now on what is said. */
  tellTo(listener: (event: CallEvent) => void): void;
}

/** The outcome, after all that was said before it. */
export async function followCall(call: Call, listener: (event: CallEvent) => void): Promise<Outcome> {
  if (isTelling(call)) call.tellTo(listener);
  else for await (const event of call) listener(event);
  return call.outcome;
}

function isTelling(call: Call): call is TellingCall {
  return 'tellTo' in call;
}
