// What the pinned definition of a tool makes of a verdict: new and changed tools are asked about.
import { isOwner } from '../../definition/caller.ts';
import type { GatedCall } from '../gated-call.ts';
import type { Subject, Verdict } from '../policy/policy.ts';
import type { PinFinding } from './definition-pins.ts';

export const pinned: PinFinding = { kind: 'pinned' };

/** What the owner calls and what is built in is not pinned; what is denied needs no look. */
export function needsNoPin({ target, caller, verdict }: GatedCall): boolean {
  return isOwner(caller) || target.origin === 'built-in' || verdict.kind === 'deny';
}

export function verdictWithPin(verdict: Verdict, pin: PinFinding, subject: Subject): Verdict {
  if (verdict.kind !== 'allow') return verdict;
  const { name, plugin } = subject;
  switch (pin.kind) {
    case 'pinned':
    case 'new':
      return verdict;
    case 'held':
      return askAboutDefinition(
        `"${name}" is new: plugin "${plugin}" did not have it when it was approved`,
        subject,
      );
    case 'changed':
      return askAboutDefinition(
        `the definition of "${name}" is not the one that was allowed before`,
        subject,
      );
    case 'unreadable':
      return askAboutDefinition(
        `the definition of "${name}" cannot be compared with the one that was allowed before (${pin.reason})`,
        subject,
      );
  }
}

export function askAboutDefinition(
  reason: string,
  { kind, name }: Subject,
): Extract<Verdict, { kind: 'ask' }> {
  return {
    kind: 'ask',
    method: 'definition',
    reason,
    remembers: `the ${kind} "${name}" as it is defined now`,
  };
}
