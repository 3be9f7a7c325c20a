// What the policy decides on, and its verdict as a denial.
import { isPromise } from '../base/async.ts';
import type { JsonObject } from '../base/json.ts';
import { shellWord } from '../base/text.ts';
import type { Caller } from '../definition/caller.ts';
import { permissionDenied, type Denial } from './denial.ts';
import type { Policy, Subject, Verdict } from './policy/policy.ts';
import type { Target } from './target.ts';

export function subjectOf(target: Target, args: JsonObject, caller: Caller): Subject {
  return {
    kind: target.kind,
    name: target.name,
    isUnique: 'isUnique' in target && target.isUnique,
    ownName: ownNameOf(target),
    plugin: target.plugin,
    origin: target.origin,
    args,
    caller,
    isAutoApproved: target.kind === 'tool' && target.isAutoApproved,
    ...(target.kind === 'tool' && target.isConfined === true && { isConfined: true }),
    ...(target.kind === 'tool' && target.tool.hints !== undefined && { hints: target.tool.hints }),
  };
}

function ownNameOf(target: Target): string {
  switch (target.kind) {
    case 'tool':
      return target.tool.name;
    case 'command':
      return target.command.name;
    case 'resource':
    case 'prompt':
      return target.ownName;
  }
}

/** Throws and rejects as the policy does, and where the answer is not a verdict. */
export function decide(policy: Policy, subject: Subject): Verdict | Promise<Verdict> {
  const verdict = policy.decide(subject);
  return isPromise(verdict) ? Promise.resolve(verdict).then(checkedVerdict) : checkedVerdict(verdict);
}

export function denialOf(
  subject: Subject,
  verdict: Extract<Verdict, { kind: 'deny' }>,
  policy: Policy,
): Denial {
  return permissionDenied(verdict.method, verdict.reason, { wayOut: howToAllow(subject, verdict, policy) });
}

/** The command that writes a rule for the call; undefined where a rule is not enough, or one denies exactly this. */
export function howToAllow(subject: Subject, verdict: Verdict, policy: Policy): string | undefined {
  if (!openMethods.has(verdict.method) || verdict.isElsewhere) return undefined;
  const rule = policy.ruleFor?.(subject, 'tool') ?? policy.ruleFor?.(subject, 'call');
  return rule === undefined ? undefined : `To allow it: pluglot allow ${shellWord(rule)}`;
}

const openMethods: ReadonlySet<Verdict['method']> = new Set([
  'default',
  'session-default',
  'class',
  'definition',
]);

function checkedVerdict(verdict: Verdict): Verdict {
  switch (verdict.kind) {
    case 'allow':
    case 'deny':
    case 'ask':
      return verdict;
    default:
      throw new Error('its answer is not a verdict');
  }
}
