// What the owner says of tools: that they only read, or that they destroy.
import type { DefaultPolicy } from '../policy.ts';
import { allowedBy } from './allowing.ts';
import type { PolicyCall } from './call.ts';
import { type EffectiveRules, stricter } from './effective-rules.ts';
import { forbiddenBy } from './forbidding.ts';

export function classOf(
  call: PolicyCall,
  { readOnly, destructive, cautious }: EffectiveRules,
  usual: DefaultPolicy,
  mustName: boolean,
): { readonly policy: DefaultPolicy; readonly what: string } | undefined {
  // One destroying command of many is enough; all have to only read.
  if (forbiddenBy(destructive.rules, call)) return { policy: destructive.policy, what: 'destroys' };
  if (allowedBy([readOnly.rules], call, mustName && readOnly.policy === 'allow').isAllowed)
    return { policy: readOnly.policy, what: 'only reads' };
  // What nobody trusts may make somebody ask, but not where nothing was to be asked.
  return forbiddenBy(cautious, call) ? { policy: stricter('ask', usual), what: 'may destroy' } : undefined;
}
