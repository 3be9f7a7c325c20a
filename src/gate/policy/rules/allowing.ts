// Lists that allow: every command of a line has to be covered by some rule of theirs.
import {
  type CommandPattern,
  commandPattern,
  covers,
  type Grant,
  joined,
  usualGrant,
} from '../shell/command-pattern.ts';
import { commandsOf } from '../shell/read-line.ts';
import type { PolicyCall, ShellCall } from './call.ts';
import { type CallRule, allowsArguments, allowsName, isNaming } from './call-rule.ts';
import type { RuleList } from './rule-list.ts';

export type Allowance =
  | {
      readonly isAllowed: true;
      readonly rules: readonly string[];
      /** The last of the lists that was needed. */
      readonly list: number;
      /** How each command of a line may run. */
      readonly grantOf: GrantOf;
    }
  /** `uncovered`: the words of a command that no rule names. */
  | { readonly isAllowed: false; readonly uncovered?: readonly string[] };

export type GrantOf = (words: readonly string[]) => Grant;

/**
 * By several lists at once, the stronger first: a chain may need rules of both. `mustName`: only rules that name what is called, or its
 * plugin, not those that hold for anything.
 */
export function allowedBy(lists: readonly RuleList[], call: PolicyCall, mustName = false): Allowance {
  if (!call.shell && lists.every(({ isEmpty }) => isEmpty)) return { isAllowed: false };
  const { subject, shell } = call;
  const names = (rule: CallRule) => allowsName(rule, subject) && (!mustName || isNaming(rule, subject));
  const holds = (rule: CallRule) => names(rule) && allowsArguments(rule, subject.args);
  const commands = shell ? commandsAllowed(lists, call, shell) : undefined;
  // A rule for the commands says more of how they run than one for the tool.
  if (commands?.isAllowed) return commands;
  for (const [index, { tools, calls, tables }] of lists.entries()) {
    // What a command line does is not in the text of an argument: rules for that are commands.
    const rule = shell
      ? tools.find(subject, (one) => one.arguments.length === 0 && !one.isExact && names(one))
      : (tools.find(subject, holds) ?? calls.find(subject, holds) ?? tables.find(holds));
    if (rule) return { isAllowed: true, rules: [rule.source], list: index, grantOf: toolGrant(call) };
  }
  return commands ?? { isAllowed: false };
}

/** What holds where the tool is allowed and not the commands: ours go into the sandbox, another's does with them what it does. */
export function toolGrant({ shell }: PolicyCall): GrantOf {
  return () => ({ ...usualGrant, isUnsandboxed: shell?.use.isOurs !== true });
}

function commandsAllowed(
  lists: readonly RuleList[],
  call: PolicyCall,
  { use, reading, isElsewhere }: ShellCall,
): Allowance {
  if (!use.isMeant || isElsewhere || reading.kind === 'other') return { isAllowed: false };
  const patterns = lists.map((list) => [...list.patterns, ...tablePatterns(list, call, use.tool.command)]);
  const all = patterns.flat();
  const needed = new Set<CommandPattern>();
  const grants = new Map<readonly string[], Grant>();
  for (const words of commandsOf(reading.steps)) {
    const rules = all.filter((rule) => covers(rule, words));
    const [first] = rules;
    if (!first) return { isAllowed: false, uncovered: words };
    needed.add(first);
    grants.set(words, joined(rules.map(({ grant }) => grant)));
  }
  const list = Math.max(
    0,
    ...patterns.map((own, index) => (own.some((rule) => needed.has(rule)) ? index : 0)),
  );
  return {
    isAllowed: true,
    rules: [...needed].map(({ source }) => source),
    list,
    grantOf: (words) => grants.get(words) ?? usualGrant,
  };
}

/** `{ "cli_based_tool": { "command": ["git"] } }` is git with any words. */
function tablePatterns({ tables }: RuleList, { subject }: PolicyCall, key: string): CommandPattern[] {
  return tables.flatMap((table) => {
    const others = table.arguments.filter((one) => one.key !== key);
    if (!allowsName(table, subject) || !allowsArguments({ ...table, arguments: others }, subject.args))
      return [];
    const values = table.arguments.find((one) => one.key === key)?.values ?? [];
    return values.map((value) => commandPattern(`${value} *`));
  });
}
