// What the owner says of tools: that they only read, or that they destroy.
import type { DefaultPolicy } from '../policy.ts';
import { allowedBy, type GrantOf } from './allowing.ts';
import type { PolicyCall } from './call.ts';
import { type EffectiveRules, stricter } from './effective-rules.ts';
import { forbiddenBy } from './forbidding.ts';

interface Owned {
  readonly policy: DefaultPolicy;
  readonly what: string;
  /** How each command of a line may run. */
  readonly grantOf?: GrantOf;
}

export function classOf(
  call: PolicyCall,
  { readOnly, destructive, cautious }: EffectiveRules,
  usual: DefaultPolicy,
  mustName: boolean,
): Owned | undefined {
  // One destroying command of many is enough; all have to only read.
  if (forbiddenBy(destructive.rules, call)) return { policy: destructive.policy, what: 'destroys' };
  const reads = allowedBy([readOnly.rules], call, mustName && readOnly.policy === 'allow');
  if (reads.isAllowed) {
    const grantOf: GrantOf = (words) => ({ ...reads.grantOf(words), access: 'read-only' });
    return { policy: readOnly.policy, what: 'only reads', grantOf };
  }
  // What nobody trusts may make somebody ask, but not where nothing was to be asked.
  return forbiddenBy(cautious, call) ? { policy: stricter('ask', usual), what: 'may destroy' } : undefined;
}
