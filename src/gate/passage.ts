// The way through the gate, stage by stage.
import type { Clock } from '../base/clock.ts';
import { PluglotError } from '../base/error.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { within } from '../base/within.ts';
import { Signals } from '../channel/peer/signals.ts';
import type { Caller } from '../definition/caller.ts';
import { plainJson } from '../definition/run/plain-json.ts';
import type { Call } from '../fleet/plugin/call.ts';
import { HeldCall } from '../fleet/plugin/held-call.ts';
import type { CallSource, GatedCallOptions, ResolvedContent } from '../fleet/registry/resolved.ts';
import type { Approver } from './approval/approver.ts';
import type { Attempt, Attempts } from './attempt.ts';
import { callerOf, nobody } from './caller-of.ts';
import { Denial, permissionDenied } from './denial.ts';
import { judge, type JudgeParts } from './judge.ts';
import type { BoundedAnswer } from './output/bounded-answer.ts';
import type { CallObservers, CallWatch } from './observer.ts';
import type { Results } from './output/results.ts';
import type { SpillPart, SpillReading, SpillStore } from './output/spill-store.ts';
import { permit, type PermitParts } from './permit.ts';
import type { CallKind, Verdict } from './policy/policy.ts';
import type { Admission } from './stages/admitted.ts';
import type { Permit } from './stages/approved.ts';
import { howToAllow } from './stages/decided.ts';
import { makeCall } from './stages/made-call.ts';
import type { Records } from './stages/recorded.ts';
import { broken, cancelled, isPromise } from './step.ts';
import { talkPassage, type TalkPassage, type TalkSteps } from './talk-passage.ts';

export interface PassageParts extends JudgeParts, PermitParts {
  readonly clock: Clock;
  readonly attempts: Attempts;
  readonly records: Records;
  readonly admission: Admission;
  readonly results: Results;
  readonly newId: () => string;
  readonly observers: CallObservers;
}

export interface GateCallOptions extends GatedCallOptions {
  /** Asked about this call instead of whoever is asked usually: the person in front of the program that makes it. */
  readonly approver?: Approver;
  /** Why this caller is not shown what it names: the call is refused with it, and written down. */
  readonly notShown?: string;
}

/** What comes of asking without calling. */
export type Permission =
  /** With these arguments: whoever was asked may have changed them. */
  | { readonly allowed: true; readonly reason: string; readonly method: string; readonly args: JsonObject }
  | { readonly allowed: false; readonly reason: string; readonly method: string };

/** What would be decided on a call, and what could be done about it. */
export interface Explanation {
  readonly verdict: Verdict;
  /** Left out where nobody has it. */
  readonly plugin?: string;
  /** What would allow it; left out where nothing that simple would. */
  readonly fix?: string;
  /** How its definition differs from the one that was approved. */
  readonly difference?: string;
}

const CLOSE_MS = 6000;
const CLOSED = 'The gate is closed.';
/** Names come from clients. */
const HANDLE_MAX = 100;

export class Passage {
  readonly #parts: PassageParts;
  readonly #signals = new Signals();
  #isClosed = false;
  #whenEmpty: (() => void) | undefined;

  constructor(parts: PassageParts) {
    this.#parts = parts;
  }

  call(
    kind: CallKind,
    name: string,
    args: JsonObject,
    options: GateCallOptions,
    content?: ResolvedContent,
  ): Call {
    const { attempts, clock, newId, observers } = this.#parts;
    const id = newId();
    const caller = callerOf(options?.caller);
    const watch = observers.asked({ id, kind, name, caller, trace: options?.trace });
    const attempt = attempts.open({
      id,
      kind,
      name,
      caller,
      trace: watch?.trace ?? options?.trace,
      approver: options?.approver,
      notShown: options?.notShown,
      content,
    });
    const held = new HeldCall({
      id,
      tool: attempt.name,
      clock,
      onCancel: (reason) => attempt.giveUp(reason),
    });
    attempt.whenGivenUp = (reason) => held.cancel(reason);
    const { signal } = options ?? {};
    if (signal?.aborted === true) held.cancel(reasonOf(signal));
    const unfollow =
      signal === undefined || signal.aborted
        ? undefined
        : this.#signals.follow(signal, () => held.cancel(reasonOf(signal)));
    if (watch !== undefined) void held.outcome.then((outcome) => watch.ended(outcome));
    void this.#pass(attempt, held, args, options, watch).finally(() => {
      unfollow?.();
      this.#done(attempt);
    });
    return held;
  }

  async explain(
    kind: CallKind,
    name: string,
    args: JsonObject,
    caller: Caller,
    content?: ResolvedContent,
  ): Promise<Explanation> {
    const attempt = this.#parts.attempts.open({ id: '', kind, name, caller: callerOf(caller), content });
    try {
      const judged = this.#refusedAtTheDoor(attempt) ?? (await judge(attempt, args, this.#parts));
      if (judged instanceof Denial) {
        const { method, reason } = judged;
        const isKnown = method === 'unknown' || method === 'not-offered' || method === 'arguments';
        return { verdict: { kind: 'deny', method: isKnown ? method : 'broken', reason } };
      }
      const { verdict, subject, pin } = judged;
      const fix = verdict.kind === 'allow' ? undefined : howToAllow(subject, verdict, this.#parts.policy);
      return {
        verdict,
        plugin: subject.plugin,
        ...(fix !== undefined && { fix }),
        ...((pin.kind === 'changed' || pin.kind === 'held') && { difference: pin.difference }),
      };
    } finally {
      this.#done(attempt);
    }
  }

  async askPermission(name: string, args: JsonObject, caller: Caller, intent: string): Promise<Permission> {
    const { attempts, records, newId } = this.#parts;
    const attempt = attempts.open({ id: newId(), kind: 'tool', name, caller: callerOf(caller) });
    try {
      const permitted = await this.#permit(attempt, args, intent);
      if (permitted instanceof Denial) return refusedBy(permitted);
      const unwritten = await records.allowed(attempt, permitted);
      if (unwritten !== undefined) return refusedBy(unwritten);
      const { reason, method, subject } = permitted;
      return { allowed: true, reason, method, args: subject.args };
    } finally {
      this.#done(attempt);
    }
  }

  talk(name: string, args: JsonObject, options: GateCallOptions): TalkPassage {
    const steps: TalkSteps = {
      permit: (attempt, intent) => this.#permit(attempt, args, intent),
      refused: (attempt, denial) => void this.#recorded(attempt, denial, args),
      done: (attempt) => this.#done(attempt),
    };
    return talkPassage(this.#parts, steps, name, options);
  }

  /** Only the caller whose call left it reads it; that is written down before. @throws PluglotError AUDIT_FAILED or CALL_CANCELLED */
  async readSpill(
    spill: SpillStore,
    handle: string,
    caller: Caller,
    reading: SpillReading,
  ): Promise<SpillPart | undefined> {
    const { attempts, records, newId, clock } = this.#parts;
    const id = newId();
    const name = `pluglot:result:${handle.slice(0, HANDLE_MAX)}`;
    const attempt = attempts.open({ id, kind: 'resource', name, caller: callerOf(caller) });
    const { offset = 0 } = reading;
    const args = Number.isFinite(offset) && offset !== 0 ? { offset } : {};
    try {
      const refused =
        this.#refusedAtTheDoor(attempt) ?? (spill.isFor(attempt.caller, handle) ? undefined : notTheirs());
      if (refused !== undefined) return void this.#recorded(attempt, refused, args);
      const subject = { name, plugin: '', args };
      const reason = 'it is a result of its own call';
      const unwritten = await records.allowed(attempt, { subject, method: 'own-result', reason });
      if (unwritten !== undefined) throw new PluglotError(unwritten.failure.code, unwritten.failure.message);
      const startedAt = clock.now();
      const part = await spill.read(handle, reading);
      const bytes = part === undefined ? 0 : Buffer.byteLength(part.text);
      records.ended({ id, ok: part !== undefined, durationMs: clock.now() - startedAt, bytes });
      return part;
    } finally {
      this.#done(attempt);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const { attempts, records, results, clock } = this.#parts;
    attempts.giveUpAll(CLOSED);
    if (attempts.size > 0) {
      const empty = new Promise<void>((resolve) => {
        this.#whenEmpty = resolve;
      });
      await within(empty, CLOSE_MS, clock);
    }
    attempts.stop();
    await records.settled(CLOSE_MS);
    await results.close();
  }

  async #pass(
    attempt: Attempt,
    held: HeldCall,
    args: JsonObject,
    options: GatedCallOptions,
    watch: CallWatch | undefined,
  ): Promise<void> {
    try {
      const deciding = this.#permit(attempt, args);
      const permitted = isPromise(deciding) ? await deciding : deciding;
      if (permitted instanceof Denial) return held.fail(permitted.failure);
      const { subject } = permitted;
      const waiting = this.#parts.admission.admit(attempt, { ...subject, tool: subject.name });
      const turn = isPromise(waiting) ? await waiting : waiting;
      if (turn instanceof Denial) return this.#refuse(attempt, held, turn, args);
      try {
        const isMade = await this.#make(attempt, held, permitted, options, watch);
        if (!isMade) turn.undo();
      } finally {
        turn.leave();
      }
    } catch (thrown) {
      held.fail(broken('the gate', thrown).failure);
    }
  }

  /** Up to the point where it may happen. Refusals are written down. */
  #permit(attempt: Attempt, args: JsonObject, intent?: string): Permit | Denial | Promise<Permit | Denial> {
    const refused = this.#refusedAtTheDoor(attempt);
    if (refused !== undefined) return this.#recorded(attempt, refused, args);
    const judged = judge(attempt, args, this.#parts);
    if (isPromise(judged))
      return judged
        .then((found) => (found instanceof Denial ? found : permit(attempt, found, this.#parts, intent)))
        .then((permitted) => this.#recorded(attempt, permitted, args));
    const permitted = judged instanceof Denial ? judged : permit(attempt, judged, this.#parts, intent);
    return isPromise(permitted)
      ? permitted.then((found) => this.#recorded(attempt, found, args))
      : this.#recorded(attempt, permitted, args);
  }

  #refusedAtTheDoor(attempt: Attempt): Denial | undefined {
    if (this.#isClosed) return permissionDenied('closed', 'the gate is closed');
    if (attempt.ending !== undefined) return cancelled(attempt);
    if (attempt.caller === nobody)
      return permissionDenied('broken', 'nobody said who calls (options.caller)');
    return undefined;
  }

  #recorded<Found extends Permit | Denial>(attempt: Attempt, found: Found, args: JsonObject): Found {
    if (found instanceof Denial) {
      const { source, records } = this.#parts;
      records.denied(attempt, found, targetOf(source, attempt), auditedOf(args));
    }
    return found;
  }

  #refuse(attempt: Attempt, held: HeldCall, denial: Denial, args: JsonObject): void {
    this.#recorded(attempt, denial, args);
    held.fail(denial.failure);
  }

  /** Whether it was made. */
  async #make(
    attempt: Attempt,
    held: HeldCall,
    permitted: Permit,
    options: GatedCallOptions,
    watch: CallWatch | undefined,
  ): Promise<boolean> {
    const { records, results, clock } = this.#parts;
    const { id } = attempt;
    const refused = await records.allowed(attempt, permitted);
    if (refused !== undefined) {
      const { code } = refused.failure;
      // That it was allowed may stand in the log by now.
      records.ended({ id, ok: false, code, durationMs: 0, bytes: 0 });
      held.fail(refused.failure);
      return false;
    }
    const isMade = attempt.ending === undefined;
    watch?.begun?.(permitted.subject.plugin, permitted.subject.name);
    const startedAt = clock.now();
    const answer = await makeCall(attempt, permitted, options, held, clock);
    const durationMs = clock.now() - startedAt;
    // Nobody gets what comes of a call that was given up.
    const bounding =
      attempt.ending === undefined
        ? results.of(permitted.target, permitted.subject, answer)
        : { answer, bytes: 0 };
    const { answer: given, bytes, spilled }: BoundedAnswer = isPromise(bounding) ? await bounding : bounding;
    records.ended({
      id,
      ok: given.ok,
      ...(given.ok ? {} : { code: given.error.code }),
      durationMs,
      bytes,
      ...(spilled === undefined ? {} : { spilled }),
    });
    held.end(given);
    return isMade;
  }

  #done(attempt: Attempt): void {
    this.#parts.attempts.done(attempt);
    if (this.#parts.attempts.size === 0) this.#whenEmpty?.();
  }
}

function notTheirs(): Denial {
  return new Denial('not-offered', {
    code: 'PERMISSION_DENIED',
    message: 'There is no result of this handle, or it is one of another caller.',
  });
}

function refusedBy({ reason, method }: Denial): Permission {
  return { allowed: false, reason, method };
}

function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  // That of an abort without one says nothing more.
  return reason instanceof Error && reason.name !== 'AbortError'
    ? reason.message
    : 'The caller gave the call up.';
}

/** As far as it is known. */
function targetOf(source: CallSource, { kind, name, content }: Attempt): { name: string; plugin: string } {
  if (content !== undefined) return { name, plugin: content.plugin };
  const unknown = { name, plugin: '' };
  try {
    return (kind === 'tool' ? source.resolveTool(name) : source.resolveCommand(name)) ?? unknown;
  } catch {
    return unknown;
  }
}

function auditedOf(args: JsonObject): JsonObject {
  const plain = plainJson(args, 'args');
  return 'json' in plain && isJsonObject(plain.json) ? plain.json : {};
}
