// Fifth stage: whoever can be asked says yes or no. No answer, a late one or a broken one is a no.
import { deferred, type Deferred } from '../../base/deferred.ts';
import { formatDuration } from '../../base/duration.ts';
import { toError } from '../../base/error.ts';
import { shellWord } from '../../base/shell-word.ts';
import { late } from '../../base/within.ts';
import type { Execution } from '../../definition/execution.ts';
import type { CallDescription } from '../../fleet/registry/resolved.ts';
import { approvalOf } from '../approval/approval-of.ts';
import type { Approval, Approver, Question } from '../approval/approver.ts';
import { restored } from '../approval/edited-arguments.ts';
import { questionOf, shownArguments, type Masks } from '../approval/question.ts';
import { over, type Attempt } from '../attempt.ts';
import { Denial, permissionDenied, type AskedOf, type Stage } from '../denial.ts';
import type { Judged, JudgeParts } from '../judge.ts';
import type { NewRule } from '../policy/file/write-rule.ts';
import type { Covers, Method, Subject, Verdict } from '../policy/policy.ts';
import { signatureOf } from '../policy/signature.ts';
import { cancelled, STAGE_MS } from '../step.ts';
import { decide, denialOf, howToAllow, subjectOf } from './decided.ts';
import { find, type Target } from './known.ts';

/** It may happen. */
export interface Permit {
  readonly target: Target;
  readonly subject: Subject;
  readonly method: Method | Stage;
  readonly reason: string;
  readonly askedOf?: AskedOf;
  /** How a command line in the arguments may run. */
  readonly execution?: Execution | undefined;
}

export interface ApprovalParts extends JudgeParts {
  readonly approver: Approver | undefined;
  /** How long an answer may take, where the approver does not say it. */
  readonly limitMs: number;
  readonly now: () => Date;
  readonly masks: Masks;
  /** Why nobody can be asked where there is no approver, and what to do about it. */
  readonly unattended?: Unattended | undefined;
  /** Where "always" writes its rules. Undefined: it holds for the session. */
  readonly rules?: RuleKeeper | undefined;
  /** Something that changes what is allowed. */
  noted(what: string, data: { readonly tool: string; readonly [key: string]: string }): void;
}

export interface Unattended {
  /** Ends a sentence. @default nobody can be asked here */
  readonly why: string;
  readonly fix: string;
}

export interface RuleKeeper {
  /** Where they are written to. */
  readonly file: string;
  /** It holds when it resolves. @throws Error when it cannot be written */
  write(rule: NewRule): Promise<void>;
}

/** Somebody has to read them. */
const PENDING_MAX = 100;
const DESCRIBE_MS = 2000;
/** Nobody reads a longer one. */
const RULE_MAX = 1000;

interface Kept {
  readonly by: string;
  readonly scope: 'turn' | 'idle' | 'session' | 'always';
  readonly covers: Covers | undefined;
}

interface Pending {
  readonly subject: Subject;
  readonly answer: Deferred<Approval | Verdict>;
  /** Another answer may settle it; not where the definition is what is asked about. */
  readonly isOfRules: boolean;
}

export type AskVerdict = Extract<Verdict, { kind: 'ask' }>;

export class Approvals {
  readonly #parts: ApprovalParts;
  readonly #pending = new Set<Pending>();
  /** Also those that are being put into words. */
  #asking = 0;

  constructor(parts: ApprovalParts) {
    this.#parts = parts;
  }

  async ask(
    attempt: Attempt,
    judged: Judged,
    verdict: AskVerdict,
    intent?: string,
  ): Promise<Permit | Denial> {
    const approver = attempt.approver ?? this.#parts.approver;
    if (approver === undefined) return this.#nobody(judged.subject, verdict);
    if (this.#asking >= PENDING_MAX)
      return permissionDenied('approval', `${PENDING_MAX} questions wait for an answer already`);
    this.#asking += 1;
    try {
      const answer = await this.#answer(approver, attempt, judged, verdict, intent);
      if (answer instanceof Denial) return answer;
      if ('method' in answer) return await this.#byRules(attempt, judged, answer);
      // More than was offered is not what somebody has read.
      const covers = verdict.remembersTool === undefined ? 'call' : (answer.covers ?? 'call');
      return answer.kind === 'deny'
        ? await this.#refused(judged, { ...answer, covers })
        : await this.#allowed(attempt, judged, { ...answer, covers });
    } catch (thrown) {
      if (attempt.ending !== undefined) return cancelled(attempt);
      return permissionDenied('approval', `asking for it failed: ${toError(thrown).message.slice(0, 300)}`);
    } finally {
      this.#asking -= 1;
    }
  }

  #nobody(subject: Subject, verdict: AskVerdict): Denial {
    const { reason, method } = verdict;
    const { unattended, policy } = this.#parts;
    const { why = 'nobody can be asked here', fix } = unattended ?? {};
    const look =
      method === 'definition' ? `Look at it: pluglot explain ${shellWord(subject.name)}.` : undefined;
    // The command is last, so that no dot is copied with it.
    const wayOut = [look, fix, howToAllow(subject, verdict, policy)]
      .filter((part) => part !== undefined)
      .join(' ');
    return permissionDenied('approval', `${reason.replace(/[.]$/, '')}, and ${why}`, {
      wayOut: wayOut === '' ? undefined : wayOut,
    });
  }

  async #answer(
    approver: Approver,
    attempt: Attempt,
    judged: Judged,
    verdict: AskVerdict,
    intent: string | undefined,
  ): Promise<Approval | Verdict | Denial> {
    const { now, masks, policy } = this.#parts;
    const { subject, pin, target } = judged;
    const description = await describe(attempt, target, subject);
    if (attempt.ending !== undefined) return cancelled(attempt);
    const limitMs = approver.limitMs ?? this.#parts.limitMs;
    const expiresAt = now().getTime() + limitMs;
    const question = questionOf(
      attempt,
      {
        subject,
        verdict,
        pin,
        description,
        intent,
        always: this.#alwaysFor(subject, verdict),
        signatureOf: (one) => policy.signatureOf?.(one) ?? signatureOf(one),
        expiresAt,
      },
      masks,
    );
    const isOfRules = verdict.method !== 'definition' && (pin.kind === 'pinned' || pin.kind === 'new');
    const pending: Pending = { subject, answer: deferred(), isOfRules };
    const nobodyWaits = new AbortController();
    this.#pending.add(pending);
    try {
      approver.ask(question, nobodyWaits.signal).then(
        (answer) => settle(pending.answer, answer),
        (thrown: unknown) => pending.answer.reject(toError(thrown)),
      );
      const answer = await attempt.wait(pending.answer.promise, limitMs);
      if (answer === over) return cancelled(attempt);
      if (answer === late)
        return permissionDenied('approval', `no answer came within ${formatDuration(limitMs)}`);
      return answer;
    } finally {
      this.#pending.delete(pending);
      nobodyWaits.abort(new Error('Nobody waits for the answer any more.'));
    }
  }

  /** What was said about another call settles this one too. */
  async #byRules(
    attempt: Attempt,
    { target, subject, pin }: Judged,
    verdict: Verdict,
  ): Promise<Permit | Denial> {
    if (verdict.kind === 'deny') return denialOf(subject, verdict, this.#parts.policy);
    if (pin.kind !== 'pinned') await this.#pin(attempt, target);
    return {
      target,
      subject,
      method: verdict.method,
      reason: verdict.reason,
      execution: executionBy(verdict),
    };
  }

  async #refused(
    { subject, verdict }: Judged,
    { by, scope, comment, covers }: Extract<Approval, { kind: 'deny' }>,
  ): Promise<Denial> {
    if (scope !== 'once') await this.#keep(subject, verdict, 'deny', { by, scope, covers });
    return permissionDenied('approval', `it was not allowed (${by})`, { comment, askedOf: { by, scope } });
  }

  /** Time has passed since it was asked: the tool, its definition and the rules may be others. */
  async #allowed(
    attempt: Attempt,
    { target: before, subject: asked, pin }: Judged,
    { by, scope, args, covers }: Extract<Approval, { kind: 'allow' }>,
  ): Promise<Permit | Denial> {
    const { source, pins, checked, policy, masks } = this.#parts;
    const target = find(source, attempt);
    if (target instanceof Denial) return target;
    if (!pins.isSame(before, target))
      return permissionDenied('definition', `"${asked.name}" was changed while somebody was asked about it`);
    const taken =
      args === undefined
        ? asked.args
        : await checked.of(target, restored(args, shownArguments(asked.args, masks), asked.args));
    if (taken instanceof Denial) return taken;
    const subject = subjectOf(target, taken, attempt);
    const verdict = await attempt.wait(Promise.resolve(decide(policy, subject)), STAGE_MS);
    if (verdict === over) return cancelled(attempt);
    if (verdict === late) throw new Error('the policy gave no answer');
    if (verdict.kind === 'deny') return denialOf(subject, verdict, this.#parts.policy);
    if (scope === 'all') this.#allowAll(subject, by);
    else if (scope !== 'once') await this.#keep(subject, verdict, 'allow', { by, scope, covers });
    if (pin.kind !== 'pinned') await this.#pin(attempt, target);
    const reason = args === undefined ? `allowed (${by})` : `allowed with other arguments (${by})`;
    // Whoever said yes was shown the line, and where it runs.
    const execution: Execution = { kind: 'as-written' };
    return { target, subject, method: 'approval', reason, askedOf: { by, scope }, execution };
  }

  /** Somebody has allowed this call, so it happens also where it cannot be written down; the next one is asked about again. */
  async #pin(attempt: Attempt, target: Target): Promise<void> {
    try {
      const { pins, source } = this.#parts;
      await attempt.wait(pins.pin(target, source.toolsOf?.(target.plugin)), STAGE_MS);
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

  async #keep(
    subject: Subject,
    verdict: Verdict,
    answer: 'allow' | 'deny',
    { by, scope, covers = 'call' }: Kept,
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
        // The person has decided; what cannot be kept for good holds for now.
        policy.remember(subject, answer, 'session', covers);
        this.#parts.noted('rule-not-written', {
          ...data,
          rule,
          file: rules.file,
          reason: toError(thrown).message,
        });
      }
    this.#reconsider();
  }

  #allowAll(subject: Subject, by: string): void {
    this.#parts.policy.allowAll(subject.caller);
    this.#parts.noted('all-allowed', { tool: subject.name, by });
    this.#reconsider();
  }

  /** Nobody has to answer twice what they have answered for longer. */
  #reconsider(): void {
    for (const { subject, answer, isOfRules } of this.#pending) {
      if (!isOfRules) continue;
      void Promise.resolve()
        .then(() => decide(this.#parts.policy, subject))
        .then((verdict) => {
          if (verdict.kind !== 'ask') answer.resolve(verdict);
        })
        // Then it is for somebody to decide.
        .catch(() => {});
    }
  }
}

function executionBy(verdict: Verdict): Execution | undefined {
  return verdict.kind === 'allow' ? verdict.execution : undefined;
}

function settle(answer: Deferred<Approval | Verdict>, given: unknown): void {
  try {
    answer.resolve(approvalOf(given));
  } catch (thrown) {
    answer.reject(toError(thrown));
  }
}

/** In the plugin's words, if it has any. A copy, since the arguments that are asked about are those that are used. */
async function describe(
  attempt: Attempt,
  target: Target,
  { args }: Subject,
): Promise<CallDescription | undefined> {
  if (target.kind !== 'tool' || target.describe === undefined) return undefined;
  try {
    const description = await attempt.wait(target.describe(structuredClone(args)), DESCRIBE_MS);
    if (description === late || description === over) return undefined;
    return typeof description === 'object' && description !== null ? description : undefined;
  } catch {
    return undefined;
  }
}
