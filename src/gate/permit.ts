// From what was judged to what may happen: at once, by pinning a definition that is new, or by asking somebody.
import { toError } from '../base/error.ts';
import { late } from '../base/within.ts';
import type { CallSource } from '../fleet/registry/resolved.ts';
import { over, type Attempt } from './attempt.ts';
import type { Denial } from './denial.ts';
import { ask, type Judged } from './judge.ts';
import type { DefinitionPins } from './pins/definition-pins.ts';
import type { Policy } from './policy/policy.ts';
import type { Approvals, Permit } from './stages/approved.ts';
import { denialOf } from './stages/decided.ts';
import { cancelled, STAGE_MS } from './step.ts';

export interface PermitParts {
  readonly source: CallSource;
  readonly policy: Policy;
  readonly approvals: Approvals;
  readonly pins: DefinitionPins;
}

export function permit(
  attempt: Attempt,
  judged: Judged,
  parts: PermitParts,
  intent?: string,
): Permit | Denial | Promise<Permit | Denial> {
  const { verdict, subject, target, pin } = judged;
  switch (verdict.kind) {
    case 'deny':
      return denialOf(subject, verdict, parts.policy);
    case 'ask':
      return parts.approvals.ask(attempt, judged, verdict, intent);
    case 'allow': {
      const { method, reason, execution } = verdict;
      const allowed: Permit = { target, subject, method, reason, execution };
      return pin.kind === 'new' ? pinFirst(attempt, judged, parts, allowed) : allowed;
    }
  }
}

/** What cannot be pinned could change unseen, so it is for somebody to decide. */
async function pinFirst(
  attempt: Attempt,
  judged: Judged,
  { approvals, pins, source }: PermitParts,
  allowed: Permit,
): Promise<Permit | Denial> {
  const { kind, name } = judged.subject;
  let why = 'it took too long';
  try {
    const others = source.toolsOf?.(judged.subject.plugin);
    const done = await attempt.wait(pins.pin(judged.target, others), STAGE_MS);
    if (done === over) return cancelled(attempt);
    if (done !== late) return allowed;
  } catch (thrown) {
    why = toError(thrown).message;
  }
  return approvals.ask(
    attempt,
    judged,
    ask(`the definition of "${name}" cannot be pinned (${why})`, kind, name),
  );
}
