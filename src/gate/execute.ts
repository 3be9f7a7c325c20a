// Makes the call of a plugin, and gives it up with the call of the caller.
import type { Clock } from '../base/clock.ts';
import { toError } from '../base/error.ts';
import { late, within } from '../base/async.ts';
import type { Answer, Outcome } from '../definition/outcome.ts';
import type { Call, CallOptions } from '../definition/call.ts';
import type { GatedCallOptions } from '../fleet/registry/contract.ts';
import { over, type GatedCall } from './gated-call.ts';
import { turnKey } from './limits/limit-options.ts';

/** How long a plugin may take to end a call that was given up. */
const GIVE_UP_MS = 5000;

/** Never rejects, whatever the plugin does. */
export async function execute(
  call: GatedCall,
  options: GatedCallOptions,
  onMade: (made: Call) => void,
  clock: Clock,
): Promise<Answer> {
  if (call.givenUp !== undefined) return givenUp(call.givenUp);
  const { target, subject } = call;
  let made: Call;
  try {
    made = target.call(subject.args, optionsFor(options, call));
  } catch (thrown) {
    return failedWith(target.name, thrown);
  }
  try {
    onMade(made);
    const ended = await call.wait(made.outcome, backstopOf(options));
    if (ended !== over && ended !== late) return answerOf(ended);
    const reason = call.givenUp ?? 'It took too long.';
    made.cancel(reason);
    if (ended === late) return tookTooLong(target.name, options.timeoutMs ?? 0);
    const end = await within(made.outcome, GIVE_UP_MS, clock);
    return end === late ? givenUp(reason) : answerOf(end);
  } catch (thrown) {
    return failedWith(target.name, thrown);
  }
}

function answerOf(outcome: Outcome): Answer {
  const { durationMs: _, ...answer } = outcome;
  return answer;
}

function optionsFor({ timeoutMs, context, asker }: GatedCallOptions, call: GatedCall): CallOptions {
  const { trace } = call.request;
  const { execution } = call.allowance;
  return {
    id: call.id,
    caller: turnKey(call.caller),
    onBehalfOf: call.caller,
    ...(execution === undefined ? {} : { execution }),
    ...(call.target.kind === 'tool' && { validatedAgainst: call.target.tool.inputSchema }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(context === undefined ? {} : { context }),
    ...(trace === undefined ? {} : { trace }),
    ...(asker === undefined ? {} : { asker }),
  };
}

/** Plugins keep the limit of a call themselves; a plugin that keeps none is ended here. */
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
