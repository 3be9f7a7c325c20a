// The way of a call through the gate, in reading order:
// resolve → arguments → policy → pins → approval → limits → audit → call → output → audit. What fails on the way denies.
import type { Clock } from '../base/clock.ts';
import { toError } from '../base/error.ts';
import { isPromise, late, within } from '../base/async.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { Signals } from '../channel/peer/signals.ts';
import type { Caller } from '../definition/caller.ts';
import { plainJson } from '../definition/run/plain-json.ts';
import { type Call, PendingCall } from '../definition/call.ts';
import type { CallSource, GatedCallOptions, ResolvedContent } from '../fleet/registry/contract.ts';
import type { Approvals } from './approval/approvals.ts';
import type { Approver } from './approval/approver.ts';
import type { CallRecords } from './audit/call-records.ts';
import type { CallArguments } from './call-arguments.ts';
import { callerOf, unknownCaller, type CallRequest } from './call-request.ts';
import { broken, Denial, permissionDenied } from './denial.ts';
import { execute } from './execute.ts';
import { over, STAGE_MS, type GatedCall, type GatedCalls } from './gated-call.ts';
import type { Admission } from './limits/admission.ts';
import type { CallObservers, CallWatch } from './observer.ts';
import type { BoundedAnswer } from './output/bounded-answer.ts';
import type { Results } from './output/results.ts';
import type { DefinitionPins } from './pins/definition-pins.ts';
import { askAboutDefinition, needsNoPin, pinned, verdictWithPin } from './pins/pin-verdict.ts';
import type { CallKind, Policy, Verdict } from './policy/policy.ts';
import { type MaybeDenied, runStages, type Stage, andThen } from './stage.ts';
import { decide, denialOf, howToAllow, subjectOf } from './subject.ts';
import { isContent, namesOf, resolveTarget } from './target.ts';

export interface PipelineParts {
  readonly source: CallSource;
  readonly args: CallArguments;
  readonly policy: Policy;
  readonly pins: DefinitionPins;
  readonly approvals: Approvals;
  readonly admission: Admission;
  readonly records: CallRecords;
  readonly results: Results;
  readonly calls: GatedCalls;
  readonly observers: CallObservers;
  readonly clock: Clock;
  readonly newId: () => string;
}

export interface GateCallOptions extends GatedCallOptions {
  /** Asked about this call instead of the usual approver: the person in front of the program that makes it. */
  readonly approver?: Approver;
  /** Why this caller is not shown the tool: the call is denied with it. */
  readonly notShown?: string;
}

/** The answer to asking without calling. */
export type Permission =
  /** `args`: as allowed, which the person may have edited. */
  | { readonly allowed: true; readonly reason: string; readonly method: string; readonly args: JsonObject }
  | { readonly allowed: false; readonly reason: string; readonly method: string };

/** What would be decided on a call, and what could be done about it. */
export interface Explanation {
  readonly verdict: Verdict;
  /** What would allow it; left out where a rule is not enough. */
  readonly fix?: string;
  /** How its definition differs from the approved one. */
  readonly difference?: string;
}

const CLOSE_MS = 6000;

export class CallPipeline {
  readonly #parts: PipelineParts;
  readonly #signals = new Signals();
  /** The stages that ask no one. */
  readonly #decision: readonly Stage[];
  #isClosed = false;
  #onEmpty: (() => void) | undefined;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    this.#decision = [
      { name: 'the gate', run: (call) => this.checkOpen(call) },
      { name: 'the registry', limitMs: STAGE_MS, run: (call) => this.#resolve(call) },
      { name: 'the check of the arguments', limitMs: STAGE_MS, run: (call) => this.#checkArguments(call) },
      { name: 'the policy', limitMs: STAGE_MS, run: (call) => this.#applyPolicy(call) },
      { name: 'the list of pinned definitions', limitMs: STAGE_MS, run: (call) => this.#checkPin(call) },
    ];
  }

  call(
    kind: CallKind,
    name: string,
    args: JsonObject,
    options: GateCallOptions,
    content?: ResolvedContent,
  ): Call {
    const { calls, clock, newId, observers } = this.#parts;
    const id = newId();
    const caller = callerOf(options?.caller);
    const watch = observers.asked({ id, kind, name, caller, trace: options?.trace });
    const call = calls.open({
      id,
      kind,
      name,
      caller,
      args,
      trace: watch?.trace ?? options?.trace,
      approver: options?.approver,
      notShown: options?.notShown,
      content,
    });
    const held = new PendingCall({ id, tool: name, clock, onCancel: (reason) => call.giveUp(reason) });
    call.onGivenUp = (reason) => held.cancel(reason);
    const { signal } = options ?? {};
    if (signal?.aborted === true) held.cancel(reasonOf(signal));
    const unfollow =
      signal === undefined || signal.aborted
        ? undefined
        : this.#signals.follow(signal, () => held.cancel(reasonOf(signal)));
    if (watch !== undefined) void held.outcome.then((outcome) => watch.ended(outcome));
    void this.#run(call, held, options, watch).finally(() => {
      unfollow?.();
      this.done(call);
    });
    return held;
  }

  /** The whole way of a call. */
  async #run(
    call: GatedCall,
    held: PendingCall,
    options: GatedCallOptions,
    watch: CallWatch | undefined,
  ): Promise<void> {
    try {
      const permitting = this.permit(call);
      const denial = isPromise(permitting) ? await permitting : permitting;
      if (denial !== undefined) return held.fail(denial.failure);
      const admitting = this.#parts.admission.admit(call);
      const turn = isPromise(admitting) ? await admitting : admitting;
      if (turn instanceof Denial) return held.fail(this.deny(call, turn).failure);
      try {
        const isMade = await this.#make(call, held, options, watch);
        if (!isMade) turn.undo();
      } finally {
        turn.leave();
      }
    } catch (thrown) {
      held.fail(broken('the gate', thrown).failure);
    }
  }

  /** Every stage up to the approval. Denials are recorded. */
  permit(call: GatedCall): MaybeDenied {
    const deciding = runStages(call, this.#decision);
    if (isPromise(deciding))
      return deciding
        .then((denial) => denial ?? this.#approve(call))
        .then((denial) => denial && this.deny(call, denial));
    const permitting = deciding ?? this.#approve(call);
    if (isPromise(permitting)) return permitting.then((denial) => denial && this.deny(call, denial));
    return permitting && this.deny(call, permitting);
  }

  checkOpen(call: GatedCall): Denial | undefined {
    if (this.#isClosed) return permissionDenied('closed', 'the gate is closed');
    if (call.givenUp !== undefined) return call.cancelled();
    if (call.caller === unknownCaller)
      return permissionDenied('broken', 'the call does not say who calls (options.caller)');
    return undefined;
  }

  #resolve(call: GatedCall): Denial | undefined {
    const target = resolveTarget(this.#parts.source, call.request);
    if (target instanceof Denial) return target;
    call.target = target;
    return undefined;
  }

  #checkArguments(call: GatedCall): MaybeDenied {
    const { target, request } = call;
    return andThen(this.#parts.args.check(target, request.args), (args) => {
      if (args instanceof Denial) return args;
      call.subject = subjectOf(target, args, call.caller);
      return undefined;
    });
  }

  #applyPolicy(call: GatedCall): MaybeDenied {
    return andThen(decide(this.#parts.policy, call.subject), (verdict) => {
      call.verdict = verdict;
      return undefined;
    });
  }

  /** An allowed tool that is new or changed since its plugin was approved is asked about. */
  #checkPin(call: GatedCall): MaybeDenied {
    const { policy, pins } = this.#parts;
    const { target } = call;
    return andThen(isContent(target) || needsNoPin(call) ? pinned : pins.look(target), (found) => {
      const isReleased = found.kind === 'held' && policy.isNamed?.(call.subject) === true;
      call.pin = isReleased ? { kind: 'new' } : found;
      call.verdict = verdictWithPin(call.verdict, call.pin, call.subject);
      return undefined;
    });
  }

  #approve(call: GatedCall): MaybeDenied {
    const { verdict, subject, pin } = call;
    switch (verdict.kind) {
      case 'deny':
        return denialOf(subject, verdict, this.#parts.policy);
      case 'ask':
        return this.#parts.approvals.ask(call, verdict);
      case 'allow': {
        const { method, reason, execution } = verdict;
        call.allowance = { method, reason, execution };
        return pin.kind === 'new' ? this.#pinFirst(call) : undefined;
      }
    }
  }

  /** A definition that cannot be pinned could change unnoticed: it is asked about. */
  async #pinFirst(call: GatedCall): Promise<Denial | undefined> {
    const { approvals, pins, source } = this.#parts;
    const { target, subject } = call;
    let why = 'it took too long';
    try {
      const done = await call.wait(pins.pin(target, source.toolsOf?.(subject.plugin)), STAGE_MS);
      if (done === over) return call.cancelled();
      if (done !== late) return undefined;
    } catch (thrown) {
      why = toError(thrown).message;
    }
    return approvals.ask(
      call,
      askAboutDefinition(`the definition of "${subject.name}" cannot be pinned (${why})`, subject),
    );
  }

  /** Records what was allowed, makes the call, limits its output and records how it ended. @returns whether it was made */
  async #make(
    call: GatedCall,
    held: PendingCall,
    options: GatedCallOptions,
    watch: CallWatch | undefined,
  ): Promise<boolean> {
    const { records, results, clock } = this.#parts;
    const { id, target, subject } = call;
    const unrecorded = await records.allowed(call);
    if (unrecorded !== undefined) {
      const { code } = unrecorded.failure;
      // The log may say by now that it was allowed.
      records.ended({ id, ok: false, code, durationMs: 0, bytes: 0 });
      held.fail(unrecorded.failure);
      return false;
    }
    const isMade = call.givenUp === undefined;
    watch?.begun?.(subject.plugin, subject.name);
    const startedAt = clock.now();
    const answer = await execute(call, options, (made) => held.passOn(made), clock);
    const durationMs = clock.now() - startedAt;
    const bounding = call.givenUp === undefined ? results.of(target, subject, answer) : { answer, bytes: 0 };
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

  /** What would be decided, without asking anyone and without calling. */
  async explain(
    kind: CallKind,
    name: string,
    args: JsonObject,
    caller: Caller,
    content?: ResolvedContent,
  ): Promise<Explanation> {
    const call = this.#parts.calls.open({ id: '', kind, name, caller: callerOf(caller), args, content });
    try {
      const denial = await runStages(call, this.#decision);
      if (denial !== undefined) {
        const { method, reason } = denial;
        const isKnown = method === 'unknown' || method === 'not-offered' || method === 'arguments';
        return { verdict: { kind: 'deny', method: isKnown ? method : 'broken', reason } };
      }
      const { verdict, subject, pin } = call;
      const fix = verdict.kind === 'allow' ? undefined : howToAllow(subject, verdict, this.#parts.policy);
      return {
        verdict,
        ...(fix !== undefined && { fix }),
        ...((pin.kind === 'changed' || pin.kind === 'held') && { difference: pin.difference }),
      };
    } finally {
      this.done(call);
    }
  }

  /** Asks as for a call, without calling. */
  async askPermission(name: string, args: JsonObject, caller: Caller, intent: string): Promise<Permission> {
    const { calls, records, newId } = this.#parts;
    const call = calls.open({ id: newId(), kind: 'tool', name, caller: callerOf(caller), args, intent });
    try {
      const denial = (await this.permit(call)) ?? (await records.allowed(call));
      if (denial !== undefined) return { allowed: false, reason: denial.reason, method: denial.method };
      const { reason, method } = call.allowance;
      return { allowed: true, reason, method, args: call.subject.args };
    } finally {
      this.done(call);
    }
  }

  /** Records the denial. */
  deny(call: GatedCall, denial: Denial): Denial {
    const { source, records } = this.#parts;
    records.denied(call, denial, namesOf(source, call.request), recordedArguments(call.request));
    return denial;
  }

  done(call: GatedCall): void {
    this.#parts.calls.done(call);
    if (this.#parts.calls.size === 0) this.#onEmpty?.();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const { calls, records, results, clock } = this.#parts;
    calls.giveUpAll('The gate is closed.');
    if (calls.size > 0) {
      const empty = new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
      await within(empty, CLOSE_MS, clock);
    }
    calls.stop();
    await records.settled(CLOSE_MS);
    await results.close();
  }
}

function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  // The message of an abort without a reason has no information.
  return reason instanceof Error && reason.name !== 'AbortError'
    ? reason.message
    : 'The caller gave the call up.';
}

function recordedArguments({ args }: CallRequest): JsonObject {
  const plain = plainJson(args, 'args');
  return 'json' in plain && isJsonObject(plain.json) ? plain.json : {};
}
