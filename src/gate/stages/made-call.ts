// The call itself: what it says is passed on in order, and giving it up is passed on too.
import { toError } from '../../base/error.ts';
import type { Clock } from '../../base/clock.ts';
import { late, within } from '../../base/within.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Answer, CallEvent, Outcome } from '../../definition/outcome.ts';
import type { Call, CallOptions } from '../../fleet/plugin/call.ts';
import { followCall } from '../../fleet/plugin/follow-call.ts';
import type { GatedCallOptions } from '../../fleet/registry/resolved.ts';
import { over, type Attempt } from '../attempt.ts';
import { turnKey } from '../limits/limit-options.ts';
import type { Permit } from './approved.ts';

/** What a call that was given up may take to end. */
const GIVE_UP_MS = 5000;

/** How it ended. Never rejects, whatever the plugin does. */
export async function makeCall(
  attempt: Attempt,
  { target, subject, execution }: Permit,
  options: GatedCallOptions,
  sink: { event(event: CallEvent): void },
  clock: Clock,
): Promise<Answer> {
  if (attempt.ending !== undefined) return givenUp(attempt.ending);
  let call: Call;
  try {
    call = target.call(subject.args, optionsFor(options, subject.caller, attempt, execution));
  } catch (thrown) {
    return failedWith(target.name, thrown);
  }
  try {
    const following = followCall(call, (event) => sink.event(event));
    const ended = await attempt.wait(following, backstopOf(options));
    if (ended !== over && ended !== late) return answerOf(ended);
    const reason = attempt.ending ?? 'It took too long.';
    call.cancel(reason);
    if (ended === late) return tookTooLong(target.name, options.timeoutMs ?? 0);
    const end = await within(call.outcome, GIVE_UP_MS, clock);
    return end === late ? givenUp(reason) : answerOf(end);
  } catch (thrown) {
    return failedWith(target.name, thrown);
  }
}

function answerOf(outcome: Outcome): Answer {
  const { durationMs: _, ...answer } = outcome;
  return answer;
}

function optionsFor(
  { timeoutMs, context, asker }: GatedCallOptions,
  caller: Caller,
  { id, trace }: Attempt,
  execution: Permit['execution'],
): CallOptions {
  return {
    id,
    caller: turnKey(caller),
    onBehalfOf: caller,
    ...(execution === undefined ? {} : { execution }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(context === undefined ? {} : { context }),
    ...(trace === undefined ? {} : { trace }),
    ...(asker === undefined ? {} : { asker }),
  };
}

/** A plugin lets a call wait for as long as it may take; one that keeps no limit at all is ended here. */
function backstopOf({ timeoutMs }: GatedCallOptions): number {
  return timeoutMs === undefined || Number.isNaN(timeoutMs) ? Infinity : 2 * timeoutMs + GIVE_UP_MS;
}

function givenUp(reason: string): Answer {
  return { ok: false, error: { code: 'CALL_CANCELLED', message: reason } };
}

function tookTooLong(name: string, timeoutMs: number): Answer {
  const message = `"${name}" has not ended long after its limit of ${timeoutMs} ms.`;
  return { ok: false, error: { code: 'CALL_TIMEOUT', message } };
}

function failedWith(name: string, thrown: unknown): Answer {
  const message = `Calling "${name}" failed: ${toError(thrown).message.slice(0, 300)}`;
  return { ok: false, error: { code: 'INTERNAL', message } };
}
