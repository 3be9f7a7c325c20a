// One list of rules, ready to be held against calls.
import { inOneCase } from '../../../base/unescaped.ts';
import type { AllowRule, Rules, PermissionsFile } from '../file/permissions-file.ts';
import type { Subject } from '../policy.ts';
import { type CommandPattern, commandPattern, ruleText } from '../shell/command-pattern.ts';
import { commandsOf, readLine } from '../shell/read-line.ts';
import { type CallRule, callRule, malformedCall } from './call-rule.ts';

export interface RuleList {
  /** Nothing is in it, so that nothing has to be held against it. */
  readonly isEmpty: boolean;
  /** Of `tools`: they hold for tools that run command lines too. */
  readonly tools: CallRules;
  /** Of `patterns`, as calls of tools that run no command line; not those in the long form. */
  readonly calls: CallRules;
  /** Of `patterns`, as command lines. */
  readonly patterns: readonly CommandPattern[];
  /** Of `arguments`: several values of each. */
  readonly tables: readonly CallRule[];
  /** As they were written, for people. */
  readonly shown: readonly string[];
  /** The first file that has a rule. */
  readonly files: ReadonlyMap<string, string>;
}

interface CallRules {
  readonly all: readonly CallRule[];
  /** The first that fits. Thousands of plain names cost no more than one. */
  find(subject: Subject, fits: (rule: CallRule) => boolean): CallRule | undefined;
}

export function ruleList(rules: readonly (RuleSource | undefined)[]): RuleList {
  const all = rules.filter((one) => one !== undefined);
  const tools = all.flatMap((one) => one.tools ?? []);
  const commands = all.flatMap((one) => one.patterns ?? []);
  const patterns = commands.map(ruleText);
  const tables = all.flatMap((one) =>
    Object.entries(one.arguments ?? {}).flatMap(([tool, values]): CallRule[] => {
      const given = Object.entries(values).map(([key, allowed]) => ({ key, values: allowed }));
      return given.length === 0 ? [] : [{ ...ruleOf(tool), arguments: given }];
    }),
  );
  return {
    isEmpty: tools.length + patterns.length + tables.length === 0,
    tools: callRules(tools),
    calls: callRules(commands.filter((one) => typeof one === 'string')),
    patterns: commands.map(commandPattern),
    tables,
    shown: [...new Set([...tools, ...patterns]), ...tables.flatMap(shownTable)],
    files: new Map(
      all
        .toReversed()
        .flatMap(({ file, ...one }) => (file === undefined ? [] : rulesIn(one).map((rule) => [rule, file]))),
    ),
  };
}

type RuleSource = Omit<Rules, 'patterns'> & {
  readonly patterns?: readonly AllowRule[];
  readonly file?: string;
};

function rulesIn({ tools = [], patterns = [], arguments: tables = {} }: RuleSource): string[] {
  return [...tools, ...patterns.map(ruleText), ...Object.keys(tables)];
}

/** Rules that may be calls or command lines; the long form is for command lines. */
export function listed(rules: readonly AllowRule[] = []): RuleSource {
  return { tools: rules.filter((one) => typeof one === 'string'), patterns: rules };
}

function ruleOf(source: string): CallRule {
  const named = { source, plugin: undefined, tool: source, name: source, arguments: [], isExact: false };
  return callRule(source) ?? { ...named, forbidsOnly: true };
}

function callRules(sources: readonly string[]): CallRules {
  const all = sources.map(ruleOf);
  const plain = new Map<string, CallRule[]>();
  const patterns: CallRule[] = [];
  for (const rule of all) {
    if (/[*?]/.test(rule.name)) patterns.push(rule);
    else
      for (const name of new Set([inOneCase(rule.tool), inOneCase(rule.name)]))
        plain.set(name, [...(plain.get(name) ?? []), rule]);
  }
  return {
    all,
    find: ({ kind, name, ownName }, fits) =>
      // An address can be written in several ways.
      kind === 'resource'
        ? all.find(fits)
        : (plain.get(inOneCase(ownName))?.find(fits) ??
          plain.get(inOneCase(name))?.find(fits) ??
          patterns.find(fits)),
  };
}

function shownTable({ name, arguments: given }: CallRule): string[] {
  return given.map(({ key, values }) => `${name}(${key}=${values.join(' | ')})`);
}

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
  // Calls of tools are rules of their own, and those that cannot be read are reported with their line.
  if (
    typeof rule === 'string' &&
    (callRule(rule) !== undefined || malformedCall(rule, 'allow') !== undefined)
  )
    return undefined;
  const line = typeof rule === 'string' ? rule : rule.rule;
  // A wildcard stands for letters at least.
  const reading = readLine(line.replaceAll(/\[[*?[]\]|[*?]/g, 'x'));
  if (reading.kind === 'other') return reading.reason;
  return commandsOf(reading.steps).length > 1 ? 'names several commands, and each needs a rule' : undefined;
}
