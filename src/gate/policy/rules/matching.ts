// A call with everything that rules look at, found out once.
import type { SandboxMissing } from '../../sandbox/sandbox.ts';
import type { Subject } from '../policy.ts';
import { type ShellUse, argumentsText } from '../signature.ts';
import {
  type CommandPattern,
  commandPattern,
  covers,
  type Grant,
  joined,
  usualGrant,
  forbids,
} from '../shell/command-pattern.ts';
import { type LineReading, commandsOf } from '../shell/read-line.ts';
import {
  type CallRule,
  allowsArguments,
  allowsName,
  isNaming,
  forbidsArguments,
  forbidsName,
} from './call-rule.ts';
import type { ForbiddenTexts } from './forbidden-text.ts';
import type { RuleList } from './rule-list.ts';

export interface PolicyCall {
  readonly subject: Subject;
  /** Its values, for rules that forbid. */
  readonly texts: ForbiddenTexts;
  /** For a tool that runs a command line. */
  readonly shell?: ShellCall;
}

export interface ShellCall {
  /** All of it in one line. */
  readonly signature: string;
  readonly use: ShellUse;
  readonly reading: LineReading;
  /** It is to run outside of the folder that rules for commands are meant for: what git does depends on where it is. */
  readonly isElsewhere: boolean;
  /** Why commands cannot be confined here; undefined where they can be. */
  readonly missing: SandboxMissing | undefined;
  /** Commands on the list of those that only read which need no sandbox, since all they read lies in the project. */
  readonly plainReads: ReadonlySet<readonly string[]>;
}

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
  // A rule for the commands has more detail on how they run than one for the tool.
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

/** The rule that forbids it. */
export function forbiddenBy(list: RuleList, call: PolicyCall): string | undefined {
  if (list.isEmpty) return undefined;
  const { subject, texts } = call;
  const holds = (rule: CallRule) => forbidsName(rule, call) && forbidsArguments(rule, texts);
  const rule = list.tools.find(subject, holds) ?? list.calls.find(subject, holds);
  if (rule) return rule.source;
  const commands = commandsIn(call);
  return (
    asText(list, call) ??
    list.patterns.find((pattern) => commands.some((words) => forbids(pattern, words)))?.source ??
    byTables(list, call, commands)
  );
}

function commandsIn({ shell }: PolicyCall): readonly (readonly string[])[] {
  return shell?.reading.kind === 'literal' ? commandsOf(shell.reading.steps) : [];
}

/** A pattern without arguments may mean any part of a call: `*../*`. */
function asText({ calls }: RuleList, { subject, shell, texts: forbidden }: PolicyCall): string | undefined {
  const rules = calls.all.filter((rule) => rule.arguments.length === 0);
  if (rules.length === 0) return undefined;
  const { name, ownName } = subject;
  const given = argumentsText(subject);
  const texts = [name + given, shell?.signature ?? ''];
  const ownText = ownName + given;
  return rules.find(
    ({ source }) =>
      texts.some((text) => forbidden.isGlob(source, text)) ||
      // With a leading star, the longer name matches the same.
      (!(source.startsWith('*') && name.endsWith(ownName)) && forbidden.isGlob(source, ownText)),
  )?.source;
}

/** One value of one argument is enough, wherever it is in its text; for the command of a command line it is a command. */
function byTables(
  { tables }: RuleList,
  call: PolicyCall,
  commands: readonly (readonly string[])[],
): string | undefined {
  for (const table of tables) {
    if (!forbidsName(table, call)) continue;
    for (const { key, values } of table.arguments) {
      const isCommand = key === call.shell?.use.tool.command;
      const found = values.find((value) => {
        const pattern = commandPattern(`${value} *`);
        return (
          (isCommand && commands.some((words) => forbids(pattern, words))) ||
          call.texts.hasArgument(key, [`*${value}*`])
        );
      });
      if (found !== undefined) return `${table.name}(${key}=${found})`;
    }
  }
  return undefined;
}
