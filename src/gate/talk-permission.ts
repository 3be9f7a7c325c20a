// A conversation at the gate: permitted like a call, and counted as one call until it has ended.
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import type { Trace } from '../base/trace.ts';
import type { CallFailure } from '../definition/outcome.ts';
import { callerOf } from './call-request.ts';
import { broken, Denial } from './denial.ts';
import type { CallPipeline, GateCallOptions, PipelineParts } from './pipeline.ts';

/** The gate does not see the messages of the conversation. */
export interface TalkPermission {
  readonly id: string;
  readonly trace: Trace | undefined;
  /** With the arguments that were allowed. Never rejects. */
  readonly permitted: Promise<PermittedTalk>;
  /** Called when the gate ends the conversation. */
  onGivenUp: ((reason: string) => void) | undefined;
  giveUp(reason: string): void;
  /** To be called once for a conversation that was permitted. */
  ended(end: TalkEnd): void;
}

type PermittedTalk =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly error: CallFailure };

type TalkEnd = { readonly ok: true } | { readonly ok: false; readonly error: CallFailure };

export function permitTalk(
  pipeline: CallPipeline,
  parts: PipelineParts,
  name: string,
  args: JsonObject,
  options: GateCallOptions,
): TalkPermission {
  const { calls, clock, newId, observers, records } = parts;
  const id = newId();
  const caller = callerOf(options.caller);
  const watch = observers.asked({ id, kind: 'talk', name, caller, trace: options.trace });
  const trace = watch?.trace ?? options.trace;
  const { approver } = options;
  const call = calls.open({
    id,
    kind: 'tool',
    name,
    caller,
    args,
    intent: 'a conversation',
    trace,
    approver,
  });
  call.onGivenUp = (reason) => permission.onGivenUp?.(reason);
  const elapsed = stopwatch(clock);
  let leave = () => {};
  const finish = (end: TalkEnd) => {
    leave();
    watch?.ended({ ...end, durationMs: elapsed() });
    pipeline.done(call);
  };
  const permit = async (): Promise<Denial | undefined> => {
    const denial = await pipeline.permit(call);
    if (denial !== undefined) return denial;
    const turn = await parts.admission.admit(call);
    if (turn instanceof Denial) return pipeline.deny(call, turn);
    leave = () => turn.leave();
    const unrecorded = await records.allowed(call);
    if (unrecorded === undefined) return undefined;
    // The log may say by now that it was allowed.
    records.ended({ id, ok: false, code: unrecorded.failure.code, durationMs: 0, bytes: 0 });
    turn.undo();
    return unrecorded;
  };
  const permitted = async (): Promise<PermittedTalk> => {
    const denial = await permit().catch((thrown: unknown) => broken('the gate', thrown));
    if (denial !== undefined) {
      const { failure: error } = denial;
      finish({ ok: false, error });
      return { ok: false, error };
    }
    watch?.begun?.(call.subject.plugin, call.subject.name);
    return { ok: true, args: call.subject.args };
  };
  const permission: TalkPermission = {
    id,
    trace,
    permitted: permitted(),
    onGivenUp: undefined,
    giveUp: (reason) => call.giveUp(reason),
    ended(end) {
      records.ended({
        id,
        ok: end.ok,
        ...(end.ok ? {} : { code: end.error.code }),
        durationMs: elapsed(),
        bytes: 0,
      });
      finish(end);
    },
  };
  return permission;
}

function stopwatch(clock: Clock): () => number {
  const startedAt = clock.now();
  return () => clock.now() - startedAt;
}
