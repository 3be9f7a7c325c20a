// The first four stages, which ask nobody: known, arguments, rules, definition.
import type { JsonObject } from '../base/json.ts';
import { isOwner } from '../definition/caller.ts';
import type { CallSource } from '../fleet/registry/resolved.ts';
import type { Attempt } from './attempt.ts';
import type { Denial } from './denial.ts';
import type { DefinitionPins, PinFinding } from './pins/definition-pins.ts';
import type { CallKind, Policy, Subject, Verdict } from './policy/policy.ts';
import type { CheckedArguments } from './stages/checked-arguments.ts';
import { decide, subjectOf } from './stages/decided.ts';
import { find, isContent, type Target } from './stages/known.ts';
import { step } from './step.ts';

export interface JudgeParts {
  readonly source: CallSource;
  readonly checked: CheckedArguments;
  readonly policy: Policy;
  readonly pins: DefinitionPins;
}

export interface Judged {
  readonly target: Target;
  readonly subject: Subject;
  /** Of the rules, in the light of the definition. */
  readonly verdict: Verdict;
  readonly pin: PinFinding;
}

/** At once where all stages answer at once. */
export function judge(
  attempt: Attempt,
  args: JsonObject,
  { source, checked, policy, pins }: JudgeParts,
): Judged | Denial | Promise<Judged | Denial> {
  return step(
    attempt,
    'the list of what can be called',
    () => find(source, attempt),
    (target) =>
      step(
        attempt,
        'the check of the arguments',
        () => checked.of(target, args),
        (taken) => {
          const subject = subjectOf(target, taken, attempt);
          return step(
            attempt,
            'the policy',
            () => decide(policy, subject),
            (verdict) =>
              step(
                attempt,
                'the list of pinned definitions',
                () => look(pins, target, subject, verdict),
                (found) => {
                  // Somebody has written down that this very one is allowed.
                  const isReleased = found.kind === 'held' && policy.isNamed?.(subject) === true;
                  const pin: PinFinding = isReleased ? { kind: 'new' } : found;
                  return { target, subject, pin, verdict: inTheLightOf(pin, verdict, subject) };
                },
              ),
          );
        },
      ),
  );
}

const pinned: PinFinding = { kind: 'pinned' };

/** What the owner asks for and what is built in is not pinned, and what is denied needs no look. */
function look(
  pins: DefinitionPins,
  target: Target,
  { caller }: Subject,
  verdict: Verdict,
): PinFinding | Promise<PinFinding> {
  if (isOwner(caller) || target.origin === 'built-in' || verdict.kind === 'deny' || isContent(target))
    return pinned;
  return pins.look(target);
}

function inTheLightOf(pin: PinFinding, verdict: Verdict, { kind, name, plugin }: Subject): Verdict {
  if (verdict.kind !== 'allow') return verdict;
  switch (pin.kind) {
    case 'pinned':
    case 'new':
      return verdict;
    case 'held':
      return ask(`"${name}" is new: plugin "${plugin}" did not have it when it was approved`, kind, name);
    case 'changed':
      return ask(`the definition of "${name}" is not the one that was allowed before`, kind, name);
    case 'unreadable':
      return ask(`whether "${name}" is what was allowed before cannot be told (${pin.reason})`, kind, name);
  }
}

export function ask(reason: string, kind: CallKind, name: string): Extract<Verdict, { kind: 'ask' }> {
  return {
    kind: 'ask',
    method: 'definition',
    reason,
    remembers: `the ${kind} "${name}" as it is defined now`,
  };
}
