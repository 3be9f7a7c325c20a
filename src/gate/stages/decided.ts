// Third stage: what the rules say.
import type { JsonObject } from '../../base/json.ts';
import type { Asked } from '../attempt.ts';
import { permissionDenied, type Denial } from '../denial.ts';
import type { Policy, Subject, Verdict } from '../policy/policy.ts';
import { isPromise } from '../step.ts';
import type { Target } from './known.ts';

export function subjectOf(target: Target, args: JsonObject, { caller }: Asked): Subject {
  return {
    kind: target.kind,
    name: target.name,
    ownName: target.kind === 'tool' ? target.tool.name : target.command.name,
    plugin: target.plugin,
    origin: target.origin,
    args,
    caller,
    isAutoApproved: target.kind === 'tool' && target.isAutoApproved,
    ...(target.kind === 'tool' && target.tool.hints !== undefined && { hints: target.tool.hints }),
  };
}

/** Throws and rejects as the policy does, and with what is no verdict. */
export function decide(policy: Policy, subject: Subject): Verdict | Promise<Verdict> {
  const verdict = policy.decide(subject);
  return isPromise(verdict) ? Promise.resolve(verdict).then(asVerdict) : asVerdict(verdict);
}

export function denialOf({ name }: Subject, { method, reason }: Extract<Verdict, { kind: 'deny' }>): Denial {
  return permissionDenied(method, reason, { wayOut: wayOutOf(method, name) });
}

function asVerdict(verdict: Verdict): Verdict {
  switch (verdict.kind) {
    case 'allow':
    case 'deny':
    case 'ask':
      return verdict;
    default:
      throw new Error('it gave no verdict');
  }
}

/** None where somebody meant just this. */
function wayOutOf(method: Verdict['method'], name: string): string | undefined {
  return method === 'default' || method === 'session-default'
    ? `To allow it, add a rule for "${name}" to the whitelist of permissions.json.`
    : undefined;
}
