// Fifth stage: whoever can be asked says yes or no. No answer, a late one or a broken one is a no.
import { deferred, type Deferred } from '../../base/deferred.ts';
import { formatDuration } from '../../base/duration.ts';
import { toError } from '../../base/error.ts';
import { late } from '../../base/within.ts';
import type { CallDescription } from '../../fleet/registry/resolved.ts';
import { approvalOf } from '../approval/approval-of.ts';
import type { Approval, Approver } from '../approval/approver.ts';
import { restored } from '../approval/edited-arguments.ts';
import { questionOf, shownArguments, type Masks } from '../approval/question.ts';
import { over, type Attempt } from '../attempt.ts';
import { Denial, permissionDenied, type AskedOf, type Stage } from '../denial.ts';
import type { Judged, JudgeParts } from '../judge.ts';
import type { Method, Subject, Verdict } from '../policy/policy.ts';
import { signatureOf } from '../policy/signature.ts';
import { cancelled, STAGE_MS } from '../step.ts';
import { decide, denialOf, subjectOf } from './decided.ts';
import { find, type Target } from './known.ts';

/** It may happen. */
export interface Permit {
  readonly target: Target;
  readonly subject: Subject;
  readonly method: Method | Stage;
  readonly reason: string;
  readonly askedOf?: AskedOf;
}

export interface ApprovalParts extends JudgeParts {
  readonly approver: Approver | undefined;
  /** How long an answer may take, where the approver does not say it. */
  readonly limitMs: number;
  readonly now: () => Date;
  readonly masks: Masks;
  /** Something that changes what is allowed. */
  noted(what: string, data: { readonly tool: string; readonly [key: string]: string }): void;
}

/** Somebody has to read them. */
const PENDING_MAX = 100;
const DESCRIBE_MS = 2000;

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
    const { name } = judged.subject;
    if (approver === undefined) return nobody(verdict, name);
    if (this.#asking >= PENDING_MAX)
      return permissionDenied('approval', `${PENDING_MAX} questions wait for an answer already`);
    this.#asking += 1;
    try {
      const answer = await this.#answer(approver, attempt, judged, verdict, intent);
      if (answer instanceof Denial) return answer;
      if ('method' in answer) return await this.#byRules(attempt, judged, answer);
      return answer.kind === 'deny'
        ? this.#refused(judged, answer)
        : await this.#allowed(attempt, judged, answer);
    } catch (thrown) {
      if (attempt.ending !== undefined) return cancelled(attempt);
      return permissionDenied('approval', `asking for it failed: ${toError(thrown).message.slice(0, 300)}`);
    } finally {
      this.#asking -= 1;
    }
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
    if (verdict.kind === 'deny') return denialOf(subject, verdict);
    if (pin.kind !== 'pinned') await this.#pin(attempt, target);
    return { target, subject, method: verdict.method, reason: verdict.reason };
  }

  #refused({ subject }: Judged, { by, scope, comment }: Extract<Approval, { kind: 'deny' }>): Denial {
    if (scope !== 'once') this.#remember(subject, 'deny', scope, by);
    return permissionDenied('approval', `it was not allowed (${by})`, { comment, askedOf: { by, scope } });
  }

  /** Time has passed since it was asked: the tool, its definition and the rules may be others. */
  async #allowed(
    attempt: Attempt,
    { target: before, subject: asked, pin }: Judged,
    { by, scope, args }: Extract<Approval, { kind: 'allow' }>,
  ): Promise<Permit | Denial> {
    const { source, pins, checked, policy, masks } = this.#parts;
    const target = find(source, attempt.kind, attempt.name);
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
    if (verdict.kind === 'deny') return denialOf(subject, verdict);
    if (scope === 'all') this.#allowAll(subject, by);
    else if (scope !== 'once') this.#remember(subject, 'allow', scope, by);
    if (pin.kind !== 'pinned') await this.#pin(attempt, target);
    const reason = args === undefined ? `allowed (${by})` : `allowed with other arguments (${by})`;
    return { target, subject, method: 'approval', reason, askedOf: { by, scope } };
  }

  /** Somebody has allowed this call, so it happens also where it cannot be written down; the next one is asked about again. */
  async #pin(attempt: Attempt, target: Target): Promise<void> {
    try {
      await attempt.wait(this.#parts.pins.pin(target), STAGE_MS);
    } catch (thrown) {
      this.#parts.noted('definition-not-pinned', { tool: target.name, reason: toError(thrown).message });
    }
  }

  #remember(
    subject: Subject,
    answer: 'allow' | 'deny',
    scope: 'turn' | 'idle' | 'session',
    by: string,
  ): void {
    this.#parts.policy.remember(subject, answer, scope);
    this.#parts.noted('answer-remembered', { tool: subject.name, answer, scope, by });
    this.#reconsider();
  }

  #allowAll(subject: Subject, by: string): void {
    this.#parts.policy.allowAll();
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

function nobody({ reason, method }: AskVerdict, name: string): Denial {
  const wayOut =
    method === 'definition'
      ? 'Let it be called once where somebody can be asked, and look at what has changed.'
      : `To allow it, add a rule for "${name}" to the whitelist of permissions.json, or call it where somebody can be asked.`;
  return permissionDenied('approval', `${reason.replace(/[.]$/, '')}, and nobody can be asked here`, {
    wayOut,
  });
}
