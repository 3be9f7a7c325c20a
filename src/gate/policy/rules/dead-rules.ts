// Rules that allow no command line, since they name what is not literal: redirections, variables, commands of the shell itself.
import type { AllowRule, PermissionsFile } from '../file/permissions-file.ts';
import { commandsOf, readLine } from '../shell/read-line.ts';
import { callRule } from './call-rule.ts';
import { ruleText } from './line-rule.ts';

export interface DeadRule {
  readonly rule: string;
  /** Goes on a sentence that begins with the rule. */
  readonly reason: string;
}

export function deadRules({ allow = [], whitelist, classes }: PermissionsFile): readonly DeadRule[] {
  const rules = [...allow, ...(whitelist?.patterns ?? []), ...(classes?.readOnly?.patterns ?? [])];
  const dead = rules.flatMap((rule): [string, DeadRule][] => {
    const reason = reasonOf(rule);
    return reason === undefined ? [] : [[ruleText(rule), { rule: ruleText(rule), reason }]];
  });
  return [...new Map(dead).values()];
}

function reasonOf(rule: AllowRule): string | undefined {
  if (typeof rule === 'string' && rule.startsWith('@') && rule !== '@read-only')
    return 'is not a list of commands; the only one is @read-only';
  // Calls of tools are rules of their own.
  if (typeof rule === 'string' && callRule(rule) !== undefined) return undefined;
  const line = typeof rule === 'string' ? rule : rule.rule;
  // A wildcard stands for letters at least.
  const reading = readLine(line.replaceAll(/\[[*?[]\]|[*?]/g, 'x'));
  if (reading.kind === 'other') return reading.reason;
  return commandsOf(reading.steps).length > 1 ? 'names several commands, and each needs a rule' : undefined;
}
