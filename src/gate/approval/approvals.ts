// Asks a person about a call. No answer, a late one or a broken one is a no.
import { type Deferred, deferred, late } from '../../base/async.ts';
import { formatDuration } from '../../base/units.ts';
import { toError } from '../../base/error.ts';
import { shellWord } from '../../base/text.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CallDescription, CallSource } from '../../fleet/registry/contract.ts';
import { approvalOf } from './approval-of.ts';
import type { Approval, Approver, Question } from './approver.ts';
import { questionOf, restored, shownArguments, type Masks } from './question.ts';
import type { CallArguments } from '../call-arguments.ts';
import { Denial, permissionDenied } from '../denial.ts';
import { over, STAGE_MS, type GatedCall } from '../gated-call.ts';
import type { DefinitionPins } from '../pins/definition-pins.ts';
import type { NewRule } from '../policy/file/write-rule.ts';
import type { Covers, Policy, Subject, Verdict } from '../policy/policy.ts';
import { RULE_MAX } from '../policy/rules/call-rule.ts';
import { signatureOf } from '../policy/signature.ts';
import { decide, denialOf, howToAllow, subjectOf } from '../subject.ts';
import { resolveTarget, type Target } from '../target.ts';

export interface ApprovalParts {
  readonly source: CallSource;
  readonly args: CallArguments;
  readonly policy: Policy;
  readonly pins: DefinitionPins;
  readonly approver: Approver | undefined;
  /** How long an answer may take, where the approver does not say it. */
  readonly limitMs: number;
  readonly now: () => Date;
  readonly masks: Masks;
  /** Why no one can be asked where there is no approver, and how to fix it. */
  readonly unattended?: Unattended | undefined;
  /** Where "always" writes its rules. Undefined: the answer holds for the session. */
  readonly rules?: RuleKeeper | undefined;
  /** Records a change of what is allowed. */
  noted(what: string, data: { readonly tool: string; readonly [key: string]: string }): void;
}

export interface Unattended {
  /** The end of a sentence. @default no one can be asked here */
  readonly why: string;
  readonly fix: string;
}

export interface RuleKeeper {
  readonly file: string;
  /** Resolves when the rule applies. @throws Error when it cannot be written */
  write(rule: NewRule): Promise<void>;
}

/** A person has to read them. */
const PENDING_MAX = 100;
const DESCRIBE_MS = 2000;

interface LastingAnswer {
  readonly by: string;
  readonly scope: 'turn' | 'idle' | 'session' | 'always';
  readonly covers: Covers | undefined;
}

interface PendingQuestion {
  readonly subject: Subject;
  readonly answer: Deferred<Approval | Verdict>;
  /** The answer to another question or a new rule may settle it; not where the definition is asked about. */
  readonly isAboutRules: boolean;
}

type Refusal = Extract<Approval, { kind: 'deny' }>;

export type AskVerdict = Extract<Verdict, { kind: 'ask' }>;

export class Approvals {
  readonly #parts: ApprovalParts;
  readonly #pending = new Set<PendingQuestion>();
  /** With those whose question is being prepared. */
  #asking = 0;

  constructor(parts: ApprovalParts) {
    this.#parts = parts;
  }

  /** Sets the allowance of the call, or denies it. */
  async ask(call: GatedCall, verdict: AskVerdict): Promise<Denial | undefined> {
    const approver = call.request.approver ?? this.#parts.approver;
    if (approver === undefined) return this.#noApprover(call.subject, verdict);
    if (this.#asking >= PENDING_MAX)
      return permissionDenied('approval', `${PENDING_MAX} questions wait for an answer already`);
    this.#asking += 1;
    try {
      const answer = await this.#answer(approver, call, verdict);
      if (answer instanceof Denial) return answer;
      if ('method' in answer) return await this.#settleByRules(call, answer);
      // An answer covers no more than the question offered.
      const covers = verdict.remembersTool === undefined ? 'call' : (answer.covers ?? 'call');
      return answer.kind === 'deny'
        ? await this.#deny(call, { ...withoutSecrets(answer, this.#parts.masks), covers })
        : await this.#allow(call, { ...answer, covers });
    } catch (thrown) {
      if (call.givenUp !== undefined) return call.cancelled();
      const why = this.#parts.masks.text(toError(thrown).message).slice(0, 300);
      return permissionDenied('approval', `asking for it failed: ${why}`);
    } finally {
      this.#asking -= 1;
    }
  }

  /** Settles the open questions that the rules answer now. */
  reconsider(): void {
    for (const { subject, answer, isAboutRules } of this.#pending) {
      if (!isAboutRules) continue;
      void Promise.resolve()
        .then(() => decide(this.#parts.policy, subject))
        .then((verdict) => {
          // A file that is broken for a moment must not end a question: an answer is held against the rules again.
          if (verdict.kind !== 'ask' && verdict.method !== 'broken') answer.resolve(verdict);
        })
        // A policy that fails settles nothing: the question stays open.
        .catch(() => {});
    }
  }

  #noApprover(subject: Subject, verdict: AskVerdict): Denial {
    const { reason, method } = verdict;
    const { unattended, policy } = this.#parts;
    const { why = 'no one can be asked here', fix } = unattended ?? {};
    const look =
      method === 'definition' ? `Look at it: pluglot explain ${shellWord(subject.name)}.` : undefined;
    // The command is last, so that no full stop is copied with it.
    const wayOut = [look, fix, howToAllow(subject, verdict, policy)]
      .filter((part) => part !== undefined)
      .join(' ');
    return permissionDenied('approval', `${reason.replace(/[.]$/, '')}, and ${why}`, {
      wayOut: wayOut === '' ? undefined : wayOut,
    });
  }

  async #answer(
    approver: Approver,
    call: GatedCall,
    verdict: AskVerdict,
  ): Promise<Approval | Verdict | Denial> {
    const { now, masks, policy } = this.#parts;
    const { subject, pin, request } = call;
    const description = await describe(call);
    if (call.givenUp !== undefined) return call.cancelled();
    const limitMs = approver.limitMs ?? this.#parts.limitMs;
    const expiresAt = now().getTime() + limitMs;
    const question = questionOf(
      request,
      {
        subject,
        verdict,
        pin,
        description,
        intent: request.intent,
        always: this.#alwaysFor(subject, verdict),
        signatureOf: (one) => policy.signatureOf?.(one) ?? signatureOf(one),
        expiresAt,
      },
      masks,
    );
    const isAboutRules = verdict.method !== 'definition' && (pin.kind === 'pinned' || pin.kind === 'new');
    const pending: PendingQuestion = { subject, answer: deferred(), isAboutRules };
    const ended = new AbortController();
    this.#pending.add(pending);
    try {
      approver.ask(question, ended.signal).then(
        (answer) => settle(pending.answer, answer),
        (thrown: unknown) => pending.answer.reject(toError(thrown)),
      );
      const answer = await call.wait(pending.answer.promise, limitMs);
      if (answer === over) return call.cancelled();
      if (answer === late)
        return permissionDenied('approval', `no answer came within ${formatDuration(limitMs)}`);
      return answer;
    } finally {
      this.#pending.delete(pending);
      ended.abort(new Error('The question has ended.'));
    }
  }

  /** The answer to another question, or a new rule, settles this one too. */
  async #settleByRules(call: GatedCall, verdict: Verdict): Promise<Denial | undefined> {
    if (verdict.kind === 'deny') return denialOf(call.subject, verdict, this.#parts.policy);
    await this.#pin(call);
    const { method, reason } = verdict;
    const execution = verdict.kind === 'allow' ? verdict.execution : undefined;
    call.allowance = { method, reason, execution };
    return undefined;
  }

  async #deny({ subject, verdict }: GatedCall, { by, scope, comment, covers }: Refusal): Promise<Denial> {
    if (scope !== 'once') await this.#remember(subject, verdict, 'deny', { by, scope, covers });
    return permissionDenied('approval', `it was not allowed (${by})`, { comment, askedOf: { by, scope } });
  }

  /** Time has passed since the question: the tool, its definition and the rules may have changed. */
  async #allow(
    call: GatedCall,
    { by, scope, args: edited, covers }: Extract<Approval, { kind: 'allow' }>,
  ): Promise<Denial | undefined> {
    const { source, pins, policy } = this.#parts;
    const target = resolveTarget(source, call.request);
    if (target instanceof Denial) return target;
    if (!pins.isSame(call.target, target))
      return permissionDenied('definition', `"${call.subject.name}" was changed while the question was open`);
    const args = edited === undefined ? call.subject.args : await this.#editedArguments(target, edited, call);
    if (args instanceof Denial) return args;
    const subject = subjectOf(target, args, call.caller);
    const verdict = await call.wait(Promise.resolve(decide(policy, subject)), STAGE_MS);
    if (verdict === over) return call.cancelled();
    if (verdict === late) throw new Error('the policy gave no answer');
    if (verdict.kind === 'deny') return denialOf(subject, verdict, policy);
    call.target = target;
    call.subject = subject;
    if (scope === 'all') this.#allowAll(subject, by);
    else if (scope !== 'once') await this.#remember(subject, verdict, 'allow', { by, scope, covers });
    await this.#pin(call);
    call.allowance = {
      method: 'approval',
      reason: edited === undefined ? `allowed (${by})` : `allowed with other arguments (${by})`,
      askedOf: { by, scope },
      // The person was shown the line, and that it runs outside of the sandbox.
      execution: { kind: 'as-written' },
    };
    return undefined;
  }

  /** Values that were masked in the question and left as they are mean the original ones. */
  #editedArguments(
    target: Target,
    edited: JsonObject,
    { subject: { args } }: GatedCall,
  ): JsonObject | Denial | Promise<JsonObject | Denial> {
    return this.#parts.args.check(target, restored(edited, shownArguments(args, this.#parts.masks), args));
  }

  /** The person allowed this call, so it is made even if it cannot be pinned; the next call is asked about again. */
  async #pin(call: GatedCall): Promise<void> {
    const { pin, target } = call;
    if (pin.kind === 'pinned') return;
    const { pins, source } = this.#parts;
    try {
      await call.wait(pins.pin(target, source.toolsOf?.(target.plugin)), STAGE_MS);
    } catch (thrown) {
      this.#parts.noted('definition-not-pinned', { tool: target.name, reason: toError(thrown).message });
    }
  }

  /** Secrets are not written into rules. */
  #alwaysFor(subject: Subject, verdict: Verdict): Question['always'] {
    const { rules, policy, masks } = this.#parts;
    if (rules === undefined || verdict.isElsewhere) return undefined;
    const ruleOf = (covers: Covers) => {
      const rule = policy.ruleFor?.(subject, covers);
      return rule !== undefined && rule.length <= RULE_MAX && masks.text(rule) === rule ? rule : undefined;
    };
    const [call, tool] = [ruleOf('call'), ruleOf('tool')];
    if (call === undefined && tool === undefined) return undefined;
    return { file: rules.file, ...(call !== undefined && { call }), ...(tool !== undefined && { tool }) };
  }

  async #remember(
    subject: Subject,
    verdict: Verdict,
    answer: 'allow' | 'deny',
    { by, scope, covers = 'call' }: LastingAnswer,
  ): Promise<void> {
    const { policy, rules } = this.#parts;
    const data = { tool: subject.name, answer, covers, by };
    const rule = scope === 'always' ? this.#alwaysFor(subject, verdict)?.[covers] : undefined;
    if (rules === undefined || rule === undefined) {
      const until = scope === 'always' ? 'session' : scope;
      policy.remember(subject, answer, until, covers);
      this.#parts.noted('answer-remembered', { ...data, scope: until });
    } else
      try {
        await rules.write({ action: answer, rule });
        this.#parts.noted('rule-written', { ...data, rule, file: rules.file });
      } catch (thrown) {
        // The person has decided: without a rule, the answer holds for the session.
        policy.remember(subject, answer, 'session', covers);
        this.#parts.noted('rule-not-written', {
          ...data,
          rule,
          file: rules.file,
          reason: toError(thrown).message,
        });
      }
    this.reconsider();
  }

  #allowAll(subject: Subject, by: string): void {
    this.#parts.policy.allowAll(subject.caller);
    this.#parts.noted('all-allowed', { tool: subject.name, by });
    this.reconsider();
  }
}

/** What a person says goes to the caller, and from there to models. */
function withoutSecrets(answer: Refusal, { text }: Masks): Refusal {
  const { by, comment } = answer;
  return { ...answer, by: text(by), ...(comment !== undefined && { comment: text(comment) }) };
}

function settle(answer: Deferred<Approval | Verdict>, given: unknown): void {
  try {
    answer.resolve(approvalOf(given));
  } catch (thrown) {
    answer.reject(toError(thrown));
  }
}

/** The plugin's description of the call. It gets a copy: the arguments that are asked about are those that are used. */
async function describe(call: GatedCall): Promise<CallDescription | undefined> {
  const { target, subject } = call;
  if (target.kind !== 'tool' || target.describe === undefined) return undefined;
  try {
    const description = await call.wait(target.describe(structuredClone(subject.args)), DESCRIBE_MS);
    if (description === late || description === over) return undefined;
    return typeof description === 'object' && description !== null ? description : undefined;
  } catch {
    return undefined;
  }
}
