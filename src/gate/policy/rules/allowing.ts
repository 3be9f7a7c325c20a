// Lists that allow: every command of a line has to be covered by some rule of theirs.
import { textOf } from '../../../base/shown.ts';
import { matchesGlob } from '../glob.ts';
import { type CommandPattern, commandPattern, coveredBy } from '../shell/command-pattern.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import type { PolicyCall } from './call.ts';
import { allowsCall } from './call-pattern.ts';
import { coversText } from '../covers-text.ts';
import { isNaming } from './naming.ts';
import type { ArgumentRule, RuleList } from './rule-list.ts';
import { allowingNames } from './tool-names.ts';

export type Allowance =
  /** `list`: the last of the lists that was needed. */
  | { readonly isAllowed: true; readonly rule: string; readonly list: number }
  | { readonly isAllowed: false; readonly uncovered?: ShellCommand };

/**
 * By several lists at once, the stronger first: a chain may need rules of both. `mustName`: only rules that name what is called, or its
 * plugin, not those that hold for anything.
 */
export function allowedBy(lists: readonly RuleList[], call: PolicyCall, mustName = false): Allowance {
  if (!call.shell && lists.every(({ isEmpty }) => isEmpty)) return { isAllowed: false };
  const names = allowingNames(call.subject);
  const counts = (rule: string) => !mustName || isNaming(rule, names, call.subject.plugin);
  for (const [index, list] of lists.entries()) {
    const tool = list.tools.find(names, counts);
    if (tool !== undefined) return { isAllowed: true, rule: tool, list: index };
  }
  return call.shell
    ? commandsAllowed(lists, call, call.shell, names)
    : callAllowed(lists, call, names, counts);
}

function callAllowed(
  lists: readonly RuleList[],
  call: PolicyCall,
  names: readonly string[],
  counts: (rule: string) => boolean,
): Allowance {
  for (const [index, list] of lists.entries()) {
    const pattern = list.calls.find((one) => allowsCall(one, names, call.subject.args) && counts(one.name));
    if (pattern) return { isAllowed: true, rule: pattern.source, list: index };
    const rule = list.arguments.find((one) => holds(one, call, names, []) && counts(one.tool));
    if (rule) return { isAllowed: true, rule: `the arguments of ${rule.tool}`, list: index };
  }
  return { isAllowed: false };
}

function commandsAllowed(
  lists: readonly RuleList[],
  call: PolicyCall,
  { use, reading, isElsewhere }: NonNullable<PolicyCall['shell']>,
  names: readonly string[],
): Allowance {
  if (!use.isMeant || isElsewhere || reading.unreadable.length > 0 || reading.commands.length === 0)
    return { isAllowed: false };
  const patterns = lists.map((list) => [
    ...list.patterns,
    ...argumentPatterns(list, call, names, use.tool.command),
  ]);
  const all = patterns.flat();
  const needed = new Set<CommandPattern>();
  for (const command of reading.commands) {
    const rules = coveredBy(command, all);
    if (!rules) return { isAllowed: false, uncovered: command };
    for (const rule of rules) needed.add(rule);
  }
  // To open a file for reading and nothing else is nobody's rule.
  if (needed.size === 0) return { isAllowed: false };
  const list = Math.max(
    0,
    ...patterns.map((own, index) => (own.some((rule) => needed.has(rule)) ? index : 0)),
  );
  return { isAllowed: true, rule: [...needed].map(({ source }) => source).join(', '), list };
}

/** `{ "cli_based_tool": { "command": ["git"] } }` is git with any words. */
function argumentPatterns(
  list: RuleList,
  call: PolicyCall,
  names: readonly string[],
  key: string,
): CommandPattern[] {
  return list.arguments
    .filter((rule) => holds(rule, call, names, [key]))
    .flatMap(({ values }) => (values.get(key) ?? []).map((value) => commandPattern(`${value} *`)));
}

/** All arguments that the rule names have one of its values. */
function holds(
  { tool, values }: ArgumentRule,
  { subject }: PolicyCall,
  names: readonly string[],
  but: readonly string[],
): boolean {
  if (values.size === 0 || !names.some((name) => matchesGlob(tool, name))) return false;
  return [...values].every(([key, allowed]) => {
    if (but.includes(key)) return true;
    const value = Object.hasOwn(subject.args, key) ? subject.args[key] : undefined;
    return value !== undefined && allowed.some((one) => coversText(one, textOf(value)));
  });
}
