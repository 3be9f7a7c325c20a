// A conversation on its way through the gate: let in like a call, and under way until it has ended.
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import type { Trace } from '../base/trace.ts';
import type { CallFailure } from '../definition/outcome.ts';
import type { GatedCallOptions } from '../fleet/registry/resolved.ts';
import type { Asked, Attempt, Attempts } from './attempt.ts';
import { callerOf } from './caller-of.ts';
import { Denial } from './denial.ts';
import type { CallObservers } from './observer.ts';
import type { Admission } from './stages/admitted.ts';
import type { Permit } from './stages/approved.ts';
import type { Records } from './stages/recorded.ts';
import { broken } from './step.ts';

/** A conversation that passes the gate: what is said in it is between the two. */
export interface TalkPassage {
  readonly id: string;
  /** What it is a part of from now on. */
  readonly trace: Trace | undefined;
  /** With the arguments that were allowed, or why it may not be. Never rejects. */
  readonly permitted: Promise<TalkPermit>;
  /** Told when the gate does not let it go on. */
  onGivenUp: ((reason: string) => void) | undefined;
  /** Nobody wants it any more. */
  giveUp(reason: string): void;
  /** To be told once, of one that was permitted: how it ended. */
  ended(end: TalkEnd): void;
}

type TalkPermit =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly error: CallFailure };

type TalkEnd = { readonly ok: true } | { readonly ok: false; readonly error: CallFailure };

export interface TalkParts {
  readonly clock: Clock;
  readonly attempts: Attempts;
  readonly records: Records;
  readonly admission: Admission;
  readonly newId: () => string;
  readonly observers: CallObservers;
}

/** What it has in common with calls. */
export interface TalkSteps {
  /** Up to the point where it may happen. Refusals are written down. */
  permit(attempt: Attempt, intent: string): Permit | Denial | Promise<Permit | Denial>;
  /** Writes down that it was refused after that. */
  refused(attempt: Attempt, denial: Denial): void;
  done(attempt: Attempt): void;
}

export function talkPassage(
  parts: TalkParts,
  steps: TalkSteps,
  name: string,
  { caller: given, trace, approver }: GatedCallOptions & Pick<Asked, 'approver'>,
): TalkPassage {
  const { attempts, clock, newId, observers, records } = parts;
  const id = newId();
  const caller = callerOf(given);
  const watch = observers.asked({ id, kind: 'talk', name, caller, trace });
  const asked = { id, kind: 'tool', name, caller, trace: watch?.trace ?? trace, approver } as const;
  const attempt = attempts.open(asked);
  attempt.whenGivenUp = (reason) => passage.onGivenUp?.(reason);
  const startedAt = clock.now();
  let leave = () => {};
  const over = (end: TalkEnd) => {
    leave();
    watch?.ended({ ...end, durationMs: clock.now() - startedAt });
    steps.done(attempt);
  };
  const letIn = async (): Promise<Permit | Denial> => {
    const permitted = await steps.permit(attempt, 'a conversation');
    if (permitted instanceof Denial) return permitted;
    const { subject } = permitted;
    const turn = await parts.admission.admit(attempt, { ...subject, tool: subject.name });
    if (turn instanceof Denial) {
      steps.refused(attempt, turn);
      return turn;
    }
    leave = () => turn.leave();
    const unwritten = await records.allowed(attempt, permitted);
    if (unwritten === undefined) return permitted;
    // That it was allowed may stand in the log by now.
    records.ended({ id, ok: false, code: unwritten.failure.code, durationMs: 0, bytes: 0 });
    turn.undo();
    return unwritten;
  };
  const permitted = async (): Promise<TalkPermit> => {
    const found = await letIn().catch((thrown: unknown) => broken('the gate', thrown));
    if (found instanceof Denial) {
      const { failure: error } = found;
      over({ ok: false, error });
      return { ok: false, error };
    }
    const { plugin, name: tool, args } = found.subject;
    watch?.begun?.(plugin, tool);
    return { ok: true, args };
  };
  const passage: TalkPassage = {
    id,
    trace: attempt.trace,
    permitted: permitted(),
    onGivenUp: undefined,
    giveUp: (reason) => attempt.giveUp(reason),
    ended(end) {
      const durationMs = clock.now() - startedAt;
      records.ended({ id, ok: end.ok, ...(end.ok ? {} : { code: end.error.code }), durationMs, bytes: 0 });
      over(end);
    },
  };
  return passage;
}
