// Lists that forbid: one command of many, or one argument, is enough. What of a command line is not literal is not read.
import { matchesGlob } from '../glob.ts';
import { commandPattern, forbids } from '../shell/command-pattern.ts';
import { commandsOf } from '../shell/read-line.ts';
import { argumentsText } from '../signature.ts';
import type { PolicyCall } from './call.ts';
import { type CallRule, forbidsArguments, forbidsName } from './call-rule.ts';
import type { RuleList } from './rule-list.ts';

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
function asText({ calls }: RuleList, { subject, shell }: PolicyCall): string | undefined {
  const rules = calls.all.filter((rule) => rule.arguments.length === 0);
  if (rules.length === 0) return undefined;
  const { name, ownName } = subject;
  const given = argumentsText(subject);
  const texts = [name + given, ownName + given, shell?.signature ?? ''];
  return rules.find(({ source }) => texts.some((text) => matchesGlob(source, text)))?.source;
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
