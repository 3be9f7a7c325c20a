// What a call says, as it says it, and how it ends.
import type { CallEvent, Outcome } from '../../definition/outcome.ts';
import type { Call } from '../../fleet/plugin/call.ts';

export async function hear(call: Call, onEvent: (event: CallEvent) => void): Promise<Outcome> {
  for await (const event of call) onEvent(event);
  return call.outcome;
}
